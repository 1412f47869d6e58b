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
  /** What stands in it, in order; each once. */
  names: readonly string[];
  onArrange: (names: readonly string[]) => void;
  /** A row for each name. */
  children: ReactNode;
}

/** What is in a row and has a use of its own for a pointer. */
const CONTROLS = 'a, button, input, label, textarea';

/** A mouse takes a row anywhere. A finger that is not at its handle scrolls the page. */
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

/** A list that is put in order by dragging its rows, with a pointer or with the keyboard. */
export function SortableList({ label, names, onArrange, children }: SortableListProps) {
  const t = useTranslations('pictures.sorting');
  const sensors = useSensors(
    // A few pixels, so that a click stays one.
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
        <ol className={styles['list']} aria-label={label}>
          {children}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

/** The same names, one of them at another place. */
export function movedTo(names: readonly string[], name: string, to: number): readonly string[] {
  const index = Math.max(0, Math.min(to, names.length - 1));
  return names.filter((each) => each !== name).toSpliced(index, 0, name);
}

function useAnnouncements(names: readonly string[]): Announcements {
  const t = useTranslations('pictures.sorting');
  const isJustLifted = useRef(false);
  const place = (id: string | number) => ({ number: names.indexOf(String(id)) + 1, count: names.length });
  return {
    onDragStart: ({ active }) => {
      isJustLifted.current = true;
      return t('lifted', place(active.id));
    },
    onDragOver: ({ over }) => {
      // It begins over its own place, which would be told instead of that it is lifted.
      const isFirst = isJustLifted.current;
      isJustLifted.current = false;
      if (isFirst) return undefined;
      return over === null ? t('nowhere') : t('over', place(over.id));
    },
    onDragEnd: ({ over }) => (over === null ? t('back') : t('dropped', place(over.id))),
    onDragCancel: () => t('back'),
  };
}

interface SortableRowProps {
  name: string;
  /** Counted from 1. */
  number: number;
  children: ReactNode;
}

/** A row with a handle that it is dragged by, with a finger or the keyboard. */
export function SortableRow({ name, number, children }: SortableRowProps) {
  const t = useTranslations('pictures.sorting');
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: name,
  });
  // Keys are for the handle, or those that are pressed in a field of the row would lift it.
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

/** Else the browser itself would drag the picture, out of the page. */
function keepInPage(event: DragEvent<HTMLElement>): void {
  event.preventDefault();
}
