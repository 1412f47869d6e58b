import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { followNotices, shownNotices } from '../design/notices.ts';

const NoticeList = lazy(async () => ({ default: (await import('./notice-list.tsx')).NoticeList }));

/** Where notices appear. How they look is loaded with the first of them: most visitors never see one. */
export function NoticeArea() {
  const notices = useSyncExternalStore(followNotices, shownNotices);
  const [isWanted, setIsWanted] = useState(false);
  // It stays from then on: what is read out must change inside of something that is there already.
  if (notices.length > 0 && !isWanted) setIsWanted(true);
  return <Suspense>{isWanted && <NoticeList notices={notices} />}</Suspense>;
}
