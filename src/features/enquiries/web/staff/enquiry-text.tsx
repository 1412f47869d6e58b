import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { telephoneLink } from '../../../../api/web/site.ts';
import aboutStyles from '../../../../web/about/about.module.css';
import { Section } from '../../../../web/account/section.tsx';
import styles from '../../../../web/administration/administration.module.css';
import { LANGUAGE_NAMES } from '../../../../web/texts/languages.ts';
import type { EnquiryView } from './enquiry-queries.ts';

/** The text of the person, and how to reach them. */
export function EnquiryText({ enquiry }: { enquiry: EnquiryView }) {
  const t = useTranslations('enquiries');
  const { name, email, phone, message, answers, language } = enquiry;
  return (
    <Section title={t('message')}>
      <dl className={styles['facts']}>
        <Fact name={t('person')}>{name}</Fact>
        <Fact name={t('email')}>
          <a href={mailLink(email)}>{email}</a>
        </Fact>
        {phone !== undefined && (
          <Fact name={t('phone')}>
            <a href={telephoneLink(phone)}>{phone}</a>
          </Fact>
        )}
        <Fact name={t('pet')}>
          <PetLink enquiry={enquiry} />
        </Fact>
        <Fact name={t('language')}>{LANGUAGE_NAMES[language]}</Fact>
      </dl>
      <p className={aboutStyles['text']}>{message}</p>
      {answers.length > 0 && <Answers answers={answers} />}
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={aboutStyles['text']}>{children}</dd>
    </div>
  );
}

/** A link of RFC 6068: all characters but the @ may need encoding. */
export function mailLink(address: string, subject?: string): string {
  const to = address.split('@').map(encodeURIComponent).join('@');
  return `mailto:${to}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;
}

function Answers({ answers }: Pick<EnquiryView, 'answers'>) {
  const t = useTranslations('enquiries');
  return (
    <dl className={styles['facts']}>
      {answers.map(({ id, question, answer }) => (
        <Fact key={id} name={question}>
          {typeof answer === 'boolean' ? t(answer ? 'yes' : 'no') : answer}
        </Fact>
      ))}
    </dl>
  );
}

/** The pet may have been deleted: then the page of the pet says so, and has its history. */
function PetLink({ enquiry: { petId, petName } }: { enquiry: EnquiryView }) {
  const t = useTranslations('enquiries');
  const id = String(petId);
  return (
    <>
      <Link to="/pets/$petId" params={{ petId: id }}>
        {petName.trim() === '' ? t('petNumber', { id }) : petName}
      </Link>
      {', '}
      <Link to="/enquiries" search={{ petId: id }}>
        {t('ofPet')}
      </Link>
    </>
  );
}
