/** An attribute of the elements that match a selector. Undefined removes it. */
interface Correction {
  selector: string;
  attribute: string;
  value: (element: Element) => string | undefined;
}

/**
 * Attributes that are missing or wrong deep inside the components of Swagger UI, where a wrapper cannot reach them.
 * React keeps them when it renders a component again: it writes an attribute only if its own value has changed.
 */
const CORRECTIONS: readonly Correction[] = [
  { selector: '.servers select', attribute: 'aria-label', value: () => 'Server' },
  { selector: '.close-modal', attribute: 'aria-label', value: () => 'Close' },
  { selector: '.json-schema-form-item-remove', attribute: 'aria-label', value: () => 'Delete item' },
  {
    selector: '.opblock-body :is(textarea, input:not([type=checkbox]), td select:not(.content-type))',
    attribute: 'aria-label',
    value: findFieldName,
  },
  // A schema without a title. If it refers to another schema, the title arrives later.
  {
    selector: ':is(.json-schema-2020-12-accordion, .model-box-control)',
    attribute: 'aria-label',
    value: ({ textContent }) => (/\w/.test(textContent) ? undefined : 'Schema'),
  },
  // A table with the role of a region has no rows and cells for a screen reader.
  { selector: 'table[role=region]', attribute: 'role', value: () => undefined },
  // Below the title of the page, Swagger UI begins with the third level.
  { selector: 'h3', attribute: 'aria-level', value: () => '2' },
  { selector: 'h4', attribute: 'aria-level', value: () => '3' },
  { selector: ':is(h5, h6, .scopes h2)', attribute: 'aria-level', value: () => '4' },
];

/** Corrects the elements inside a place after each change, before the browser shows it. */
export function completeMarkup(place: Element): void {
  const complete = () => {
    for (const { selector, attribute, value } of CORRECTIONS)
      for (const element of place.querySelectorAll(selector)) setAttribute(element, attribute, value(element));
  };
  new MutationObserver(complete).observe(place, { childList: true, subtree: true });
}

function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** The name of the parameter or of the field of the form, which is in another cell. */
function findFieldName(element: Element): string {
  const row = element.closest<HTMLElement>('[data-param-name], [data-property-name]');
  return row?.dataset['paramName'] ?? row?.dataset['propertyName'] ?? 'Request body';
}
