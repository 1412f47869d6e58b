import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PETS_KEY } from '../service/queries.ts';
import { followUploaded } from './upload-queue.ts';

/** For pages that show a pet: they show the pictures that arrive meanwhile. */
export function useRefreshAfterUploads(): void {
  const queries = useQueryClient();
  useEffect(() => followUploaded(() => queries.invalidateQueries({ queryKey: PETS_KEY })), [queries]);
}
