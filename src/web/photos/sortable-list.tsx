import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type Announcements,
  type DragEndEvent,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { GripVertical } from 'lucide-react';
import { useRef, type DragEvent, type KeyboardEventHandler, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import styles from './sortable-list.module.css';

interface SortableListProps {
  label: string;
  /** Unique names of the items, in order. */
  names: readonly string[];
  onArrange: (names: readonly string[]) => void;
  /** A row for each name. */
  children: ReactNode;
}

/** Controls in a row that react to the pointer themselves. */
const CONTROLS = 'a, button, input, label, textarea';

/** With a mouse, a row can be dragged anywhere. With touch, only its handle drags; the rest scrolls the page. */
class RowSensor extends PointerSensor {
  static override activators: typeof PointerSensor.activators = [
    {
      eventName: 'onPointerDown',
      handler: (event, options) => {
        const { target, pointerType } = event.nativeEvent;
        const control = target instanceof Element ? target.closest(CONTROLS) : null;
        const isFree = control === null ? pointerType === 'mouse' : control.hasAttribute('data-handle');
        return isFree && (PointerSensor.activators[0]?.handler(event, options) ?? false);
      },
    },
  ];
}

/** A list that is reordered by dragging its rows, with a pointer or with the keyboard. */
export function SortableList({ label, names, onArrange, children }: SortableListProps) {
  const t = useTranslations('photos.sorting');
  const sensors = useSensors(
    // A minimum distance, so that a click is not a drag.
    useSensor(RowSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );

  function onDragEnd({ active, over }: DragEndEvent) {
    const to = over === null ? -1 : names.indexOf(String(over.id));
    if (to !== -1 && active.id !== over?.id) onArrange(movedTo(names, String(active.id), to));
  }

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{
        announcements: useAnnouncements(names),
        screenReaderInstructions: { draggable: t('instructions') },
      }}
    >
      <SortableContext items={[...names]} strategy={verticalListSortingStrategy}>
        <ol className="stack" aria-label={label}>
          {children}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

export function movedTo(names: readonly string[], name: string, to: number): readonly string[] {
  const index = Math.max(0, Math.min(to, names.length - 1));
  return names.filter((each) => each !== name).toSpliced(index, 0, name);
}

function useAnnouncements(names: readonly string[]): Announcements {
  const t = useTranslations('photos.sorting');
  const isJustLifted = useRef(false);
  const position = (id: string | number) => ({ number: names.indexOf(String(id)) + 1, count: names.length });
  return {
    onDragStart: ({ active }) => {
      isJustLifted.current = true;
      return t('lifted', position(active.id));
    },
    onDragOver: ({ over }) => {
      // A drag starts over its own place. Announcing that would replace the "lifted" announcement.
      const isFirst = isJustLifted.current;
      isJustLifted.current = false;
      if (isFirst) return undefined;
      return over === null ? t('nowhere') : t('over', position(over.id));
    },
    onDragEnd: ({ over }) => (over === null ? t('back') : t('dropped', position(over.id))),
    onDragCancel: () => t('back'),
  };
}

interface SortableRowProps {
  name: string;
  /** One-based. */
  number: number;
  children: ReactNode;
}

/** A row with a handle for touch and the keyboard. */
export function SortableRow({ name, number, children }: SortableRowProps) {
  const t = useTranslations('photos.sorting');
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: name,
  });
  // Keys are handled by the handle only. Otherwise, typing in a field of the row would lift it.
  const { onKeyDown, ...pointerListeners } = listeners ?? {};
  const forPointers = { ...pointerListeners, onDragStart: keepInPage };
  return (
    <li
      ref={setNodeRef}
      className={styles['row']}
      data-dragging={isDragging}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      {...forPointers}
    >
      <button
        ref={setActivatorNodeRef}
        type="button"
        className={styles['handle']}
        data-handle
        {...attributes}
        onKeyDown={onKeyDown as KeyboardEventHandler | undefined}
        aria-label={t('move', { number })}
      >
        <GripVertical size="1.25rem" aria-hidden />
      </button>
      {children}
    </li>
  );
}

/** Otherwise the browser would drag the photo itself, out of the page. */
function keepInPage(event: DragEvent<HTMLElement>): void {
  event.preventDefault();
}
