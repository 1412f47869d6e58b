import type { ComponentType, ReactNode } from 'react';
import type { ComponentProps, GetComponent, Plugin, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

type Props = ComponentProps;

/** A plugin of Swagger UI for keyboards and screen readers. `complete-markup.ts` corrects what no wrapper can reach. */
export const accessibleComponents: Plugin = () => ({
  wrapComponents: {
    authorizationPopup: asModalDialog,
    Button: nameByText,
    Col: nameRegion,
    InfoContainer: asRegion,
    OperationSummaryPath: withoutLink,
  },
});

/** Shows the credentials in a modal dialog of the browser, which keeps the focus and then returns it to the button. */
function asModalDialog(original: ComponentType<Props['authorizationPopup']>, { React }: System) {
  return (props: Props['authorizationPopup']) => {
    const ref = React.useRef<HTMLDialogElement>(null);
    React.useLayoutEffect(() => {
      const dialog = ref.current;
      dialog?.showModal();
      return () => dialog?.close();
    }, []);
    // Swagger UI closes it with the Escape key only. On phones, a gesture closes it too.
    const onCancel = () => props.authActions.showDefinitions(false);
    const attributes = { ref, onCancel, className: 'docs-dialog', 'aria-label': 'Available authorizations' };
    return React.createElement('dialog', attributes, React.createElement(original, props));
  };
}

/** Removes the name that differs from the text of the button: voice control finds a button by its text. */
function nameByText(original: ComponentType<Props['Button']>, { React }: System) {
  return (props: Props['Button']) => React.createElement(original, { ...props, 'aria-label': undefined });
}

/** The column with the servers and the credentials is outside the main element. */
function nameRegion(original: ComponentType<Props['Col']>, { React }: System) {
  return (props: Props['Col']) => {
    const name = props.className?.includes('schemes') === true ? { 'aria-label': 'Server and credentials' } : {};
    return React.createElement(original, { ...props, ...name });
  };
}

function asRegion(original: ComponentType<object>, { React }: System) {
  return (props: object) =>
    React.createElement('section', { 'aria-label': 'About this API' }, React.createElement(original, props));
}

/**
 * Swagger UI shows the path as a link inside the button that expands the operation. The address bar has the link of the
 * expanded operation.
 */
function withoutLink(original: ComponentType<Props['OperationSummaryPath']>, { React }: System) {
  const Text = ({ text }: { text?: ReactNode }) => React.createElement('span', null, text);
  return (props: Props['OperationSummaryPath']) => {
    const getComponent: GetComponent = (name, ...options) =>
      name === 'DeepLink' ? Text : props.getComponent(name, ...options);
    return React.createElement(original, { ...props, getComponent });
  };
}
