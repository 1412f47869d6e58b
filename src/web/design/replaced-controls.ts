/*
 * An action is often replaced in its place by its opposite: Import by Cancel, Pause by Resume, a button by the dialog
 * that it opens. The second click of a double click would reach the opposite.
 */

/** For phones and keyboards, whose clicks browsers do not count. */
const DOUBLE_CLICK_MS = 500;
/** In CSS pixels, between two taps of a finger. */
const SAME_PLACE = 40;

interface Activation {
  control: Element;
  name: string;
  event: MouseEvent;
}

let first: Activation | undefined;

/** Ignores the further clicks of a double click if the control is not the same any more. */
export function ignoreClicksOnReplaced(): void {
  window.addEventListener('click', stopClickOnReplaced, true);
}

function stopClickOnReplaced(event: MouseEvent): void {
  if (!(event.target instanceof Element)) return;
  const control = controlOf(event.target);
  const name = nameOf(control);
  if (!isRepeated(event, control)) {
    first = { control, name, event };
    return;
  }
  if (first?.control === control && first.name === name) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isRepeated(event: MouseEvent, control: Element): boolean {
  if (event.detail > 1) return true;
  if (!event.isTrusted || first === undefined || event.timeStamp - first.event.timeStamp > DOUBLE_CLICK_MS)
    return false;
  if (event instanceof PointerEvent && event.pointerType === 'mouse') return false;
  const { clientX, clientY } = first.event;
  // Keys have no place.
  if (control === first.control || event.detail === 0) return control === first.control;
  return Math.hypot(event.clientX - clientX, event.clientY - clientY) < SAME_PLACE;
}

/** A click on a label is followed by one on its control. */
function controlOf(target: Element): Element {
  const control = target.closest('a, button, input, select, textarea, summary, label') ?? target;
  return control instanceof HTMLLabelElement ? (control.control ?? control) : control;
}

/** With the state of a toggle, whose name stays the same. */
function nameOf(control: Element): string {
  return [control.getAttribute('aria-label') ?? control.textContent, control.getAttribute('aria-pressed')].join();
}
