import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { ADMIN_KEY } from '../../../web/administration/admin-queries.ts';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import { Button } from '../../../web/design/buttons.tsx';
import { Field, SelectField } from '../../../web/design/fields/field.tsx';
import { linesWithScheme } from '../../../web/design/fields/web-address.ts';
import { showNotice } from '../../../web/design/notices.ts';
import { MenagerieError } from '../../../client/failures.ts';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';

type EmbeddingView = ResultOf<'getEmbedding'>;

const ALL_SITES: EmbeddingView = { sites: 'all', origins: [] };

const embeddingQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'embedding'],
  queryFn: async ({ signal }) => {
    const { value, etag } = await client.getEmbedding.response({}, { signal });
    return { embedding: value ?? ALL_SITES, etag };
  },
});

const SITES = ['all', 'listed', 'none'] as const satisfies readonly EmbeddingView['sites'][];

export function AllowedSites() {
  const t = useTranslations('administration.embedding');
  const { data, error } = useQuery({ ...embeddingQuery, refetchOnWindowFocus: false });
  return (
    <Section title={t('sites')} lead={t('sitesLead')}>
      <FormError error={error} />
      {data !== undefined && <SitesForm read={data.embedding} etag={data.etag} />}
    </Section>
  );
}

function SitesForm({ read, etag }: { read: EmbeddingView; etag: string | undefined }) {
  const t = useTranslations('administration.embedding');
  const [sites, setSites] = useState(read.sites);
  const [origins, setOrigins] = useState(() => read.origins.join('\n'));
  const save = useSave(etag, (saved) => setOrigins(saved.origins.join('\n')));
  const isWrong = save.error instanceof MenagerieError && save.error.errors.length > 0;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          sites,
          origins: linesWithScheme(origins)
            .split('\n')
            .filter((line) => line !== ''),
        });
      }}
    >
      <SelectField
        label={t('choice')}
        value={sites}
        onChange={({ currentTarget: { value } }) => setSites(SITES.find((each) => each === value) ?? 'all')}
      >
        {SITES.map((each) => (
          <option key={each} value={each}>
            {t(`choices.${each}`)}
          </option>
        ))}
      </SelectField>
      {sites === 'listed' && (
        <Field label={t('origins')} description={t('originsHint')} error={isWrong ? t('wrongOrigins') : undefined}>
          {(controlProps) => (
            <textarea
              {...controlProps}
              rows={4}
              spellCheck={false}
              autoCapitalize="none"
              value={origins}
              onChange={({ currentTarget }) => setOrigins(currentTarget.value)}
              onBlur={() => setOrigins(linesWithScheme(origins))}
            />
          )}
        </Field>
      )}
      <FormError error={isWrong ? null : save.error} />
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}

function useSave(etag: string | undefined, onSaved: (saved: EmbeddingView) => void) {
  const t = useTranslations('administration.embedding');
  const queries = useQueryClient();
  return useAction({
    mutationFn: (body: EmbeddingView) =>
      client.updateEmbedding.response({ body }, etag === undefined ? {} : { ifMatch: etag }),
    onSuccess: ({ value, etag: newEtag }) => {
      if (value === undefined) return;
      queries.setQueryData(embeddingQuery.queryKey, { embedding: value, etag: newEtag });
      onSaved(value);
      showNotice({ text: t('saved') });
    },
  });
}
