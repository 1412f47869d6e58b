import { useFormatter } from 'use-intl';

const KILOBYTE = 1000;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats a number of bytes in the largest unit in which it is at least 1. */
export function useByteSize(): (bytes: number) => string {
  const format = useFormatter();
  return (bytes) => {
    const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KILOBYTE)));
    const unit = UNITS[power] ?? 'byte';
    return format.number(bytes / KILOBYTE ** power, { style: 'unit', unit, maximumFractionDigits: 1 });
  };
}
