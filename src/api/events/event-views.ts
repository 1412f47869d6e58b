import { typeOf, type ChangeEvent } from '../../domain/events/change-event.ts';
import { withPhotoOrigin } from '../../domain/pets/pet.ts';

/*
 * Events as others see them: the fields by name, so that nothing else can slip out.
 */

export interface EventAudience {
  /** Where they reach the service. */
  origin: string;
  tellsWho: boolean;
}

/** What happened, as JSON on one line. The pet's text is the very one that an answer had then, but for the address of the service. */
export function eventText(event: ChangeEvent, { origin, tellsWho }: EventAudience): string {
  const at = JSON.stringify(new Date(event.atMs).toISOString());
  const who = tellsWho ? `,"changedBy":${event.changedBy}` : '';
  const head = `{"version":${event.version},"type":"${typeOf(event)}","at":${at}${who}`;
  if (event.kind === 'pet') {
    const pet = event.text === null ? 'null' : withPhotoOrigin(event.text, origin);
    return `${head},"id":${event.petId},"pet":${pet}}`;
  }
  const account = `{"id":${event.accountId},"username":${JSON.stringify(event.username)}}`;
  return `${head},"id":${event.accountId},"account":${account},"details":${JSON.stringify(event.details)}}`;
}

/** An event of a stream. JSON has no line breaks but escaped ones, so that it is one line of data. */
export function streamedEventText(event: ChangeEvent, audience: EventAudience): string {
  return `id: ${event.version}\nevent: ${typeOf(event)}\ndata: ${eventText(event, audience)}\n\n`;
}

/**
 * Tells a client how far it has come where there is nothing else to tell it. An event, and not only an id: many clients take no notice of an id without
 * data.
 */
export function positionText(version: bigint): string {
  return `id: ${version}\nevent: position\ndata: {"version":${version}}\n\n`;
}
