import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { releaseLater } from '../service/files.ts';
import { PictureChooser } from './picture-chooser.tsx';
import { findPhotoTrouble, type PhotoTrouble } from './photo-limits.ts';
import rowStyles from './picture-row.module.css';
import styles from './pet-form-photos.module.css';
import { StandsForPet, RowActions } from './picture-row.tsx';
import { movedTo, SortableList, SortableRow } from './sortable-list.tsx';
import { useFileTrouble } from './uploads.tsx';

interface NewPicturesProps {
  files: readonly File[];
  onChange: (files: readonly File[]) => void;
}

/** Names for files, which have none of their own: two may be called the same. */
const names = new WeakMap<File, string>();
let lastName = 0;

function nameOfFile(file: File): string {
  const known = names.get(file);
  if (known !== undefined) return known;
  lastName += 1;
  names.set(file, `file-${lastName}`);
  return `file-${lastName}`;
}

/** The pictures of a pet that is not there yet: they are sent (`enqueueUploads`) when it is. */
export function NewPictures({ files, onChange }: NewPicturesProps) {
  const t = useTranslations('pictures');
  const arranged = files.map(nameOfFile);

  function arrange(next: readonly string[]) {
    onChange(next.flatMap((name) => files.find((file) => nameOfFile(file) === name) ?? []));
  }

  return (
    <div className={styles['photos']}>
      <PictureChooser onFiles={(added) => onChange([...files, ...added])} />
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
  const fileTrouble = useFileTrouble();
  const [seen, setSeen] = useState<{ url: string; trouble: PhotoTrouble | undefined }>();
  useEffect(() => {
    const url = URL.createObjectURL(file);
    let isOver = false;
    void findPhotoTrouble(file).then((trouble) => {
      if (!isOver) setSeen({ url, trouble });
    });
    return () => {
      isOver = true;
      releaseLater(url);
    };
  }, [file]);
  const trouble = seen?.trouble;
  return (
    <>
      {seen !== undefined && (trouble === undefined || trouble === 'too-large') ? (
        <img className={rowStyles['thumbnail']} src={seen.url} alt="" width={112} height={84} />
      ) : (
        <span className={rowStyles['elsewhere']} />
      )}
      <div className={rowStyles['about']}>
        {isFirst && trouble === undefined && <StandsForPet />}
        <span className={rowStyles['name']}>{file.name}</span>
        {trouble !== undefined && (
          <span className={rowStyles['trouble']} role="alert">
            {fileTrouble(trouble)}
          </span>
        )}
      </div>
    </>
  );
}
