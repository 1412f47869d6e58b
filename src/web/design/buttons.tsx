import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './buttons.module.css';

interface Look {
  /** The primary action by default. `danger` for actions that lose data, `subtle` without a border. */
  variant?: 'filled' | 'default' | 'subtle' | 'danger';
  /** Icons before and after the text. */
  leftSection?: ReactNode;
  rightSection?: ReactNode;
}

type ButtonProps = Look & ComponentProps<'button'> & { loading?: boolean };

/** A button with a text. While `loading`, it is disabled and shows that its action is in progress. */
export function Button({ loading = false, disabled = false, ...props }: ButtonProps) {
  return <button type="button" {...lookOf(props)} disabled={disabled || loading} data-loading={loading || undefined} />;
}

/** A link that looks like a button. */
export function AnchorButton(props: Look & ComponentProps<'a'>) {
  const { children, ...look } = lookOf(props);
  // The router takes a link to the pet on its edit page, such as Cancel, for that of the current page.
  return (
    <a {...look} aria-current={undefined}>
      {children}
    </a>
  );
}

/** A link to a page that looks like a button. */
export const LinkButton = createLink(AnchorButton);

interface LookingProps extends Look {
  className?: string | undefined;
  children?: ReactNode;
}

function lookOf<Props extends LookingProps>(props: Props) {
  const { variant = 'filled', leftSection, rightSection, className = '', children, ...others } = props;
  return {
    ...others,
    className: `${styles['button']} ${className}`,
    'data-variant': variant,
    children: (
      <>
        {leftSection}
        {children}
        {rightSection}
      </>
    ),
  };
}

/** A button with an icon, which needs an `aria-label`. */
export function IconButton({ className = '', ...props }: ComponentProps<'button'> & { 'aria-label': string }) {
  return <button type="button" {...props} className={`${styles['icon']} ${className}`} />;
}

interface MoreButtonProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label: string;
}

/** Loads the next page of a list, if there is one. */
export function MoreButton({ list, label }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className={styles['more']}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
