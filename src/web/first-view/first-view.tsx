import { renderToStaticMarkup } from 'react-dom/server';
import { IntlProvider, useTranslations } from 'use-intl';
import { addressedSearch, catalogueQuery } from '../../api/web/catalogue-search.ts';
import type { FirstView, FirstViewModule, FoundPets, PetWithPhotos } from '../../api/web/first-view.ts';
import { photoSources, thumbnailSources } from '../../api/web/photo-sources.ts';
import { GERMAN_WORDS } from '../../api/words/german-words.ts';
import { ENGLISH_WORDS, withLabels } from '../../api/words/words.ts';
import { AboutView } from '../about/about-view.tsx';
import { Header } from '../design/header.tsx';
import shell from '../app/shell.module.css';
import { CatalogueLayout } from '../catalogue/catalogue-layout.tsx';
import catalogue from '../catalogue/catalogue-page.module.css';
import { PlacesContext } from '../catalogue/places.ts';
import { FIRST_PHOTOS, PetCard } from '../catalogue/pet-card.tsx';
import { PhotoPlaceholder } from '../catalogue/photo-placeholder.tsx';
import grid from '../catalogue/pet-grid.module.css';
import quick from '../catalogue/search/quick-filters.module.css';
import { QuickList } from '../catalogue/search/quick-list.tsx';
import { changeSearch } from '../catalogue/search/search-criteria.ts';
import { SearchForm } from '../catalogue/search/search-form.tsx';
import { Welcome } from '../catalogue/welcome/welcome.tsx';
import { Toolbar } from '../catalogue/search/toolbar.tsx';
import { LinkRenderer, plainLinks } from '../design/page-link.tsx';
import { Photo, altOf } from '../design/photo.tsx';
import { ExternalPhotos } from '../pet/external-photos.tsx';
import gallery from '../pet/gallery.module.css';
import actions from '../pet/pet-actions.module.css';
import { PetFacts } from '../pet/pet-facts.tsx';
import petPage from '../pet/pet-page.module.css';
import { ProfileStory } from '../pet/profile/profile-story.tsx';
import { BackLink, PetLayout } from '../pet/around/pet-layout.tsx';
import photoStyles from '../pet/pet-photos.module.css';
import scroller from '../pet/photo-scroller.module.css';
import germanAbout from '../texts/de/about.json';
import { texts as germanOfPet } from '../texts/de/profile-texts.ts';
import { texts as german } from '../texts/de/texts.ts';
import englishAbout from '../texts/en/about.json';
import { texts as englishOfPet } from '../texts/en/profile-texts.ts';
import { texts as english } from '../texts/en/texts.ts';
import { WordsContext } from '../texts/words.ts';

/*
 * The first view of the catalogue and of a pet, rendered by the service for each request. It uses the components of the
 * application that work without scripts, each in its final position, so that nothing moves when the application
 * replaces it.
 */

const TEXTS = {
  en: { ...english, ...englishOfPet, about: englishAbout },
  de: { ...german, ...germanOfPet, about: germanAbout },
};

const WORDS = { en: ENGLISH_WORDS, de: GERMAN_WORDS };

export const renderFirstView: FirstViewModule['renderFirstView'] = (view) => {
  const { language, locale, access, basePath, site } = view;
  const markup = renderToStaticMarkup(
    <IntlProvider locale={locale} messages={TEXTS[language]} timeZone="UTC">
      <WordsContext value={withLabels(WORDS[language], site.labels?.[language])}>
        <LinkRenderer value={plainLinks(basePath)}>
          <div className={`${shell['shell']} first-view`} aria-busy="true">
            <Header access={access} site={site} />
            <main className={shell['main']}>
              <PlacesContext value={site.places ?? {}}>
                <Content view={view} />
              </PlacesContext>
            </main>
          </div>
        </LinkRenderer>
      </WordsContext>
    </IntlProvider>,
  );
  // React puts a preload link for each eager photo before the markup, where it gains nothing.
  return markup.slice(markup.indexOf('<div'));
};

function Content({ view: { content, basePath, site } }: { view: FirstView }) {
  if ('pets' in content) return <CatalogueView {...content} basePath={basePath} site={site} />;
  if ('organisation' in content) return <AboutView {...content} />;
  return <PetView {...content} site={site} />;
}

function CatalogueView({
  search,
  managesPets,
  pets,
  covers,
  profiles,
  known,
  organisation,
  basePath,
  site,
}: FoundPets & Pick<FirstView, 'basePath' | 'site'>) {
  const profileOf = new Map(profiles.map(({ petId, profile }) => [petId, profile]));
  const coverOf = new Map(covers.map((cover) => [cover.petId, withoutPlaceholder(cover)]));
  const tools = (
    <>
      <Toolbar
        address={{ search, change: ignore }}
        searchField={<SearchForm field={{ value: search.text ?? '', onChange: ignore }} />}
        onOpenFilters={ignore}
        isInert
      />
      <QuickList
        search={search}
        known={known}
        managesPets={managesPets}
        className={quick['narrow']}
        renderFilter={({ change, attributes, children }) => (
          <a
            {...attributes}
            href={`${basePath}/?${catalogueQuery(addressedSearch(changeSearch(search, change), managesPets)).toString()}`}
          >
            {children}
          </a>
        )}
      />
    </>
  );
  return (
    <CatalogueLayout welcome={organisation && <Welcome organisation={organisation} site={site} />} search={tools}>
      <div className={catalogue['summary']} />
      <ul className={grid['grid']}>
        {pets.map((pet, index) => (
          <li key={String(pet.id)}>
            <PetCard
              pet={pet}
              cover={coverOf.get(pet.id)}
              profile={profileOf.get(pet.id)}
              isFirst={index < FIRST_PHOTOS}
            />
          </li>
        ))}
      </ul>
    </CatalogueLayout>
  );
}

function PetView({ site, ...subject }: PetWithPhotos & Pick<FirstView, 'site'>) {
  const { pet, photos, elsewhere, about, managesPets } = subject;
  return (
    <PetLayout
      back={<BackLink />}
      photos={
        <div className={photoStyles['photos']}>
          {photos.length > 0 ? <OwnPhotos {...subject} /> : <NoPhoto {...subject} />}
          {elsewhere.length > 0 && <ExternalPhotos urls={elsewhere} />}
        </div>
      }
      story={about && <ProfileStory name={pet.name} isAdoptable={pet.status !== 'sold'} about={about} site={site} />}
    >
      <PetFacts pet={pet} about={about} site={site} />
      <div className={actions['actions']} />
      {managesPets && <div className={petPage['staffPlace']} />}
    </PetLayout>
  );
}

/** The first photo, in the frame of the gallery. Without scripts, the thumbnails are links to the other photos. */
function OwnPhotos({ pet: { name }, photos }: PetWithPhotos) {
  const t = useTranslations('petPage.gallery');
  const [photo] = photos;
  return (
    <div className={gallery['gallery']}>
      <div className={gallery['frame']}>
        <div className={scroller['scroller']}>
          <span className={gallery['slide']}>
            {photo !== undefined && (
              <Photo
                photo={withoutPlaceholder(photo)}
                sources={photoSources(photo)}
                alt={altOf(photo, t('numbered', { name, number: 1 }))}
                isFirst
                className={gallery['photo']}
              />
            )}
          </span>
        </div>
      </div>
      {photos.length > 1 && (
        <div className={photoStyles['row']}>
          <noscript>
            <ul className={gallery['thumbnails']}>
              {photos.map((each, index) => (
                <li key={each.digest}>
                  <a className={gallery['thumbnail']} href={photoSources(each).src}>
                    <Photo
                      photo={withoutPlaceholder(each)}
                      sources={thumbnailSources(each, '6rem')}
                      alt={altOf(each, t('numbered', { name, number: index + 1 }))}
                      className="filling"
                    />
                  </a>
                </li>
              ))}
            </ul>
          </noscript>
        </div>
      )}
    </div>
  );
}

function NoPhoto({ pet: { category, photoUrls }, elsewhere }: PetWithPhotos) {
  const t = useTranslations('pet');
  // The photos could not be read now, and the application tries again.
  if (photoUrls.length > elsewhere.length) return <div className={photoStyles['frame']} />;
  return (
    <div className={photoStyles['frame']}>
      <div className={photoStyles['drawing']}>
        <PhotoPlaceholder category={category?.name} />
      </div>
      <noscript>
        <p className="badge" data-tone="neutral">
          {t('noPhoto')}
        </p>
      </noscript>
    </div>
  );
}

/** A placeholder would be an inline style, which the Content Security Policy forbids. */
function withoutPlaceholder<T extends object>(photo: T): T & { placeholder: null } {
  return { ...photo, placeholder: null };
}

function ignore(): void {
  // Event handlers do nothing until the application has started.
}
