import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TypedLines } from '../../../../src/cli/chat/typed-lines.ts';

function terminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const written: string[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  let interrupts = 0;
  const lines = new TypedLines({
    input,
    output,
    prompt: '> ',
    onInterrupt: () => {
      interrupts += 1;
    },
  });
  const type = async (keys: string) => {
    input.write(keys);
    await nextTurn();
  };
  return { lines, type, shown: () => written.join(''), interrupts: () => interrupts };
}

describe('lines typed in a terminal', () => {
  it('appear after the prompt as they are typed', async () => {
    const { lines, type, shown } = terminal();
    const next = lines.next();
    await type('good dax\u007fy\r');
    expect(await next).toEqual({ text: 'good day', shown: true });
    expect(shown()).toContain('> ');
    expect(shown()).toContain('good da');
    lines.drop();
  });

  it('do not appear without a prompt; an unfinished line appears after the next prompt', async () => {
    const { lines, type, shown } = terminal();
    await type('whole\rhalf');
    expect(shown()).toBe('');
    expect(await lines.next()).toEqual({ text: 'whole', shown: false });
    expect(shown()).toBe('');
    const next = lines.next();
    expect(shown()).toContain('> half');
    await type(' done\r');
    expect(await next).toEqual({ text: 'half done', shown: true });
    lines.drop();
  });

  it('appear once if several arrive at the same time', async () => {
    const { lines, type } = terminal();
    const next = lines.next();
    await type('one\rtwo\r');
    expect(await next).toEqual({ text: 'one', shown: true });
    expect(await lines.next()).toEqual({ text: 'two', shown: false });
    lines.drop();
  });

  it('end with Ctrl-D, on a new line', async () => {
    const { lines, type, shown } = terminal();
    const next = lines.next();
    await type('\u0004');
    expect(await next).toBeNull();
    expect(shown()).toMatch(/\n$/);
    expect(await lines.next()).toBeNull();
  });

  it('are not returned after a drop', async () => {
    const { lines, type } = terminal();
    await type('one\rtwo\r');
    lines.drop();
    expect(await lines.next()).toBeNull();
  });

  it('report Ctrl-C, with or without a prompt', async () => {
    const { lines, type, interrupts } = terminal();
    await type('\u0003');
    const next = lines.next();
    await type('\u0003');
    expect(interrupts()).toBe(2);
    lines.drop();
    await next;
  });
});

it('thousands of lines from a pipe are all returned, in order', async () => {
  const input = new PassThrough();
  const lines = new TypedLines({ input, output: new PassThrough(), prompt: '', onInterrupt: () => {} });
  const sent = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
  input.end(sent.join('\n'));
  const returned: string[] = [];
  for (let line = await lines.next(); line !== null; line = await lines.next()) returned.push(line.text);
  expect(returned).toEqual(sent);
});
