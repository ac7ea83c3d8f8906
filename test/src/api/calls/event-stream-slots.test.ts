import { expect, it } from 'vitest';
import { EventStreamSlots, KEY_STREAMS_MAX } from '../../../../src/api/calls/event-stream-slots.ts';
import { ApiError } from '../../../../src/api/errors/api-error.ts';

it('keys of one organization share its places, and another organization finds some', () => {
  const places = new EventStreamSlots();
  const release = [];
  for (const id of ['first', 'second'])
    for (let count = 0; count < KEY_STREAMS_MAX; count++) release.push(places.take({ id, organizationId: 'a' }));
  expect(() => places.take({ id: 'third', organizationId: 'a' })).toThrow(ApiError);
  places.take({ id: 'other', organizationId: 'b' });
  release[0]?.();
  places.take({ id: 'third', organizationId: 'a' });
});

it('a slot that is given back twice frees one stream of its key', () => {
  const slots = new EventStreamSlots();
  const key = { id: 'key', organizationId: 'a' };
  const release = Array.from({ length: KEY_STREAMS_MAX }, () => slots.take(key));
  release[0]?.();
  release[0]?.();
  slots.take(key);
  expect(() => slots.take(key)).toThrow(ApiError);
});
