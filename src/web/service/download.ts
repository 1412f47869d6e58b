import { releaseLater } from './object-address.ts';

/** Has the browser save a text as a file. */
export function downloadText(text: string, fileName: string, mediaType: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  releaseLater(address);
}
