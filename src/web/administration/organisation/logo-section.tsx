import { useQueryClient } from '@tanstack/react-query';
import { ImagePlus } from 'lucide-react';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { showNotice } from '../../design/notices.ts';
import { ACCEPTED_TYPES } from '../../photos/photo-file.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { organisationQuery } from '../../service/queries.ts';
import type { OrganisationView } from './organisation-fields.ts';
import { showLook } from './show-look.ts';

/** The logo is saved immediately. */
export function LogoSection({ organisation: { logo } }: { organisation: OrganisationView }) {
  const t = useTranslations('administration.organisation');
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const change = useAction({
    mutationFn: (file: File | undefined) =>
      file === undefined ? client.deleteLogo.response() : client.updateLogo.response({ body: { file } }),
    onSuccess: ({ value, etag }) => {
      if (value === undefined) return;
      queries.setQueryData(organisationQuery.queryKey, { organisation: value, etag });
      showLook(value);
      showNotice({ text: t('saved') });
    },
  });
  const small = logo?.sizes.small;
  return (
    <Section title={t('logo')} lead={t('logoLead')}>
      {small && (
        <div>
          <img src={small.url} width={small.width} height={small.height} alt={t('logo')} />
        </div>
      )}
      <div className="row">
        <Button
          variant="default"
          leftSection={<ImagePlus size="1.2em" aria-hidden />}
          loading={change.isPending}
          onClick={() => input.current?.click()}
        >
          {t('chooseLogo')}
        </Button>
        {logo && (
          <Button variant="subtle" disabled={change.isPending} onClick={() => change.mutate(undefined)}>
            {t('deleteLogo')}
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={ACCEPTED_TYPES}
        aria-label={t('chooseLogo')}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) change.mutate(file);
          currentTarget.value = '';
        }}
      />
      <FormError error={change.error} />
    </Section>
  );
}
