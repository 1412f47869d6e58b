import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import styles from '../../../../web/administration/users/user-table.module.css';
import { useDateTimeFormats } from '../../../../web/design/date-time.tsx';
import type { EnquiryView } from './enquiry-queries.ts';
import { StateBadge } from './state-badge.tsx';

/** On small screens, each row is a card. */
export function EnquiryTable({ enquiries }: { enquiries: readonly EnquiryView[] }) {
  const t = useTranslations('enquiries');
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          {(['person', 'pet', 'state', 'assignee', 'received'] as const).map((column) => (
            <th key={column} scope="col">
              {t(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {enquiries.map((enquiry) => (
          <EnquiryRow key={String(enquiry.id)} enquiry={enquiry} />
        ))}
      </tbody>
    </table>
  );
}

function EnquiryRow({ enquiry }: { enquiry: EnquiryView }) {
  const { id, name, petName, state, assignee, createdAt } = enquiry;
  const { dateTime } = useDateTimeFormats();
  return (
    <tr>
      <th scope="row">
        <Link to="/enquiries/$enquiryId" params={{ enquiryId: String(id) }}>
          {name}
        </Link>
      </th>
      <td data-empty={petName === '' || undefined}>{petName}</td>
      <td>
        <StateBadge state={state} />
      </td>
      <td data-empty={assignee === null || undefined}>{assignee}</td>
      <td>
        <time dateTime={createdAt}>{dateTime(createdAt)}</time>
      </td>
    </tr>
  );
}
