import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { releaseLater } from '../service/files.ts';
import { PhotoPicker } from './photo-picker.tsx';
import { checkPhoto, type CheckedPhoto } from './photo-limits.ts';
import rowStyles from './photo-row.module.css';
import { CoverMark, RowActions } from './photo-row.tsx';
import { movedTo, SortableList, SortableRow } from './sortable-list.tsx';
import { useFileErrorText } from './uploads.tsx';

interface NewPhotosProps {
  files: readonly File[];
  onChange: (files: readonly File[]) => void;
}

/** Unique keys for files: two files may have the same name. */
const names = new WeakMap<File, string>();
let lastName = 0;

function nameOfFile(file: File): string {
  const known = names.get(file);
  if (known !== undefined) return known;
  lastName += 1;
  names.set(file, `file-${lastName}`);
  return `file-${lastName}`;
}

/** The photos selected for a new pet. They are uploaded (`enqueueUploads`) once it is created. */
export function NewPhotos({ files, onChange }: NewPhotosProps) {
  const t = useTranslations('photos');
  const arranged = files.map(nameOfFile);

  function arrange(next: readonly string[]) {
    onChange(next.flatMap((name) => files.find((file) => nameOfFile(file) === name) ?? []));
  }

  return (
    <div className="stack">
      <PhotoPicker onFiles={(added) => onChange([...files, ...added])} />
      {files.length > 0 && (
        <SortableList label={t('title')} names={arranged} onArrange={arrange}>
          {files.map((file, index) => (
            <SortableRow key={nameOfFile(file)} name={nameOfFile(file)} number={index + 1}>
              <ChosenFile file={file} isFirst={index === 0} />
              <RowActions
                index={index}
                count={files.length}
                onMove={(to) => arrange(movedTo(arranged, nameOfFile(file), to))}
                onRemove={() => onChange(files.filter((each) => each !== file))}
              />
            </SortableRow>
          ))}
        </SortableList>
      )}
    </div>
  );
}

function ChosenFile({ file, isFirst }: { file: File; isFirst: boolean }) {
  const fileErrorText = useFileErrorText();
  const t = useTranslations('photos.uploads');
  const [seen, setSeen] = useState<CheckedPhoto & { url: string }>();
  useEffect(() => {
    const url = URL.createObjectURL(file);
    let isOver = false;
    void checkPhoto(file).then((checked) => {
      if (!isOver) setSeen({ url, ...checked });
    });
    return () => {
      isOver = true;
      releaseLater(url);
    };
  }, [file]);
  const fileError = seen?.fileError;
  return (
    <>
      {seen !== undefined && (fileError === undefined || fileError === 'too-large') ? (
        <img className={rowStyles['thumbnail']} src={seen.url} alt="" width={112} height={84} />
      ) : (
        <span className={rowStyles['elsewhere']} />
      )}
      <div className={rowStyles['about']}>
        {isFirst && fileError === undefined && <CoverMark />}
        <span className="line">{file.name}</span>
        {seen?.isTooLarge === true && fileError === undefined && <span>{t('willShrink')}</span>}
        {fileError !== undefined && (
          <span className="wrong" role="alert">
            {fileErrorText(fileError)}
          </span>
        )}
      </div>
    </>
  );
}
