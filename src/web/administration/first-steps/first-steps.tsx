import { useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import { Button, LinkButton } from '../../design/buttons.tsx';
import sectionStyles from '../../account/section.module.css';
import { useOpenSteps, type Step } from './use-open-steps.ts';

const KEY = 'menagerie-first-steps';

/** Steps without a form are settings of the server. Their texts name them. */
const PAGES = {
  organisation: '/admin/organisation',
  logo: '/admin/organisation',
  pet: '/pets/new',
  factor: '/account',
  mail: '/admin/mail',
  backup: '/admin/backups',
  address: '/admin/system',
} as const satisfies Record<Exclude<Step, 'user'>, string>;

/** The open steps of a new service. A line disappears when its step is done. */
export function FirstSteps({ onInvite }: { onInvite: () => void }) {
  const t = useTranslations('administration.firstSteps');
  const steps = useOpenSteps() ?? [];
  const [isHidden, setHidden] = useState(wasHidden);
  if (steps.length === 0 || isHidden) return null;
  const hide = () => {
    setHidden(true);
    remember();
  };
  const control = (step: Step): ReactNode => {
    const label = t(`${step}.open`);
    const props = { variant: 'default', 'aria-label': `${label}: ${t(`${step}.title`)}`, children: label } as const;
    if (step === 'user') return <Button {...props} onClick={onInvite} />;
    return <LinkButton {...props} to={PAGES[step]} {...(step === 'factor' && { hash: 'sign-in' })} />;
  };
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="subtle" onClick={hide}>
          {t('hide')}
        </Button>
      }
    >
      <ul className={sectionStyles['list']}>
        {steps.map((step) => (
          <li key={step} className={sectionStyles['item']}>
            <div>
              <p className={sectionStyles['itemTitle']}>{t(`${step}.title`)}</p>
              <p className={sectionStyles['itemText']}>{t(`${step}.text`)}</p>
            </div>
            {control(step)}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function wasHidden(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(KEY, 'hidden');
  } catch {
    // Local storage is disabled or full: the list is hidden until the page is left.
  }
}
