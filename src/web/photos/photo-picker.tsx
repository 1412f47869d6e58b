import { Camera, ImagePlus } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { usePhotoLimits } from './photo-limits.ts';
import { ACCEPTED_TYPES } from './photo-file.ts';
import styles from './photo-picker.module.css';

const DRAGS = ['dragover', 'dragleave', 'drop'] as const;

/** Takes photos from a file dialog, drag and drop, the clipboard, or the camera of a phone. */
export function PhotoPicker({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = useTranslations('photos.choose');
  const limits = usePhotoLimits();
  const area = useRef<HTMLDivElement>(null);
  const isOver = useDroppedFiles(area, onFiles);
  usePastedFiles(onFiles);

  return (
    <div ref={area} role="group" aria-label={t('label')} className={styles['area']} data-over={isOver}>
      <div className={styles['buttons']}>
        <FileButton label={t('choose')} icon={<ImagePlus size="1.2em" aria-hidden />} onFiles={onFiles} />
        <div className={styles['camera']}>
          <FileButton label={t('camera')} icon={<Camera size="1.2em" aria-hidden />} isCamera onFiles={onFiles} />
        </div>
      </div>
      <p className="soft small">
        <span className={styles['drop']}>{t('drop')}</span> {t('limits', limits)}
      </p>
    </div>
  );
}

interface FileButtonProps {
  label: string;
  icon: React.ReactNode;
  isCamera?: boolean;
  onFiles: (files: readonly File[]) => void;
}

function FileButton({ label, icon, isCamera = false, onFiles }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="default" leftSection={icon} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!isCamera}
        accept={ACCEPTED_TYPES}
        capture={isCamera ? 'environment' : undefined}
        aria-label={label}
        onChange={({ currentTarget }) => {
          take(currentTarget.files, onFiles);
          // Otherwise the same file could not be selected again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

function take(files: FileList | null, onFiles: (files: readonly File[]) => void): void {
  if (files !== null && files.length > 0) onFiles([...files]);
}

/** Handles files pasted anywhere on the page. Pasted text stays text. */
function usePastedFiles(onFiles: (files: readonly File[]) => void): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const files = event.clipboardData?.files;
    if (files === undefined || files.length === 0) return;
    event.preventDefault();
    take(files, onFiles);
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => onPaste(event);
    window.addEventListener('paste', listen);
    return () => window.removeEventListener('paste', listen);
  }, []);
}

/**
 * Handles files dropped on the area. Dropping them elsewhere is prevented: the browser would open the file, and the
 * input would be lost.
 *
 * @returns whether something is dragged over the area
 */
function useDroppedFiles(
  area: React.RefObject<HTMLElement | null>,
  onFiles: (files: readonly File[]) => void,
): boolean {
  const [isOver, setIsOver] = useState(false);
  const onDrag = useEffectEvent((event: DragEvent) => {
    event.preventDefault();
    const isInside = event.target instanceof Node && area.current?.contains(event.target) === true;
    setIsOver(event.type === 'dragover' && isInside);
    if (event.type === 'drop' && isInside) take(event.dataTransfer?.files ?? null, onFiles);
  });
  useEffect(() => {
    const listen = (event: DragEvent) => onDrag(event);
    for (const type of DRAGS) window.addEventListener(type, listen);
    return () => {
      for (const type of DRAGS) window.removeEventListener(type, listen);
    };
  }, []);
  return isOver;
}
