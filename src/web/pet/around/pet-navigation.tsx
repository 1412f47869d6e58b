import { useRouter } from '@tanstack/react-router';
import { Suspense } from 'react';
import { HISTORY_INDEX, isCataloguePrevious, lastCatalogueSearch } from '../../routing/navigation-history.ts';
import { extraPart } from '../../service/browser.ts';
import { BackLink } from './pet-layout.tsx';
import styles from './pet-navigation.module.css';

// For visitors who come from a list of the application.
const Steps = extraPart(async () => (await import('./steps.tsx')).Steps);

/**
 * Links to the list and to the neighbours of the pet in it.
 *
 * @param id its digits
 */
export function PetNavigation({ id }: { id: string }) {
  return (
    <div className={styles['way']}>
      <CatalogueLink />
      <Suspense>
        <Steps id={id} />
      </Suspense>
    </div>
  );
}

/** Leads to the list that the user came from, at the same position. */
function CatalogueLink() {
  const { history } = useRouter();
  return (
    <BackLink
      search={lastCatalogueSearch()}
      onClick={(event) => {
        const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
        if (opensElsewhere || !isCataloguePrevious(history.location.state[HISTORY_INDEX])) return;
        event.preventDefault();
        history.back();
      }}
    />
  );
}
