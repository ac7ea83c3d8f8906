import { expect, it } from 'vitest';
import { StoredEventWatchers } from '../../../../src/calls/api-requests/stored-event-watchers.ts';

function watched() {
  const watchers = new StoredEventWatchers();
  const woken: string[] = [];
  const watch = (callId: string, name = callId) => watchers.onStored(callId, () => woken.push(name));
  return { watch, watchers, woken };
}

it('an event of a call wakes the streams of this call only', () => {
  const { watch, watchers, woken } = watched();
  watch('a', 'first of a');
  watch('a', 'second of a');
  watch('b');
  watchers.wake('a');
  watchers.wake('c');
  expect(woken).toEqual(['first of a', 'second of a']);
  expect(watchers.wakeUps).toBe(2);
});

it('events of unknown calls wake all streams', () => {
  const { watch, watchers, woken } = watched();
  watch('a');
  watch('b');
  watchers.wake(null);
  expect(woken).toEqual(['a', 'b']);
});

it('a closed stream is not woken, and the others of its call are', () => {
  const { watch, watchers, woken } = watched();
  const close = watch('a', 'first');
  watch('a', 'second');
  expect(watchers.watching).toBe(2);
  close();
  close();
  expect(watchers.watching).toBe(1);
  watchers.wake('a');
  expect(woken).toEqual(['second']);
});
