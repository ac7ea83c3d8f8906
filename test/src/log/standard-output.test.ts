import { describe, expect, it, vi } from 'vitest';
import { type DescriptorWriter, StandardOutput } from '../../../src/log/standard-output.ts';

/** A descriptor whose writes the test completes: `bytes` of each, or an error. */
function controlledDescriptor() {
  const pending: { readonly text: string; readonly done: Parameters<DescriptorWriter['write']>[1] }[] = [];
  const synchronous: string[] = [];
  const writer = {
    write: (bytes, done) => void pending.push({ text: Buffer.from(bytes).toString(), done }),
    writeSync: (bytes) => {
      synchronous.push(Buffer.from(bytes).toString());
      return bytes.length;
    },
  } satisfies DescriptorWriter;
  const fails = (code: string) => pending.shift()?.done(Object.assign(new Error(code), { code }), 0);
  return { writer, pending, synchronous, fails };
}

describe('standard output', () => {
  it('writes the lines that came during a write together, in order', () => {
    const { writer, pending } = controlledDescriptor();
    const output = new StandardOutput(writer);
    for (const line of ['one\n', 'two\n', 'three\n']) output.write(line);
    pending.shift()?.done(null, 4);
    expect(pending.map(({ text }) => text)).toEqual(['two\nthree\n']);
  });

  it('continues a partial write at its next byte', () => {
    const { writer, pending } = controlledDescriptor();
    new StandardOutput(writer).write('näher\n');
    pending.shift()?.done(null, 2);
    expect(pending.map(({ text }) => Buffer.from(text).length)).toEqual([Buffer.byteLength('\ufffdher\n')]);
  });

  it.each(['EAGAIN', 'ENOSPC'])('tries again after %s', (code) => {
    vi.useFakeTimers();
    try {
      const { writer, pending, fails } = controlledDescriptor();
      new StandardOutput(writer).write('one\n');
      fails(code);
      expect(pending).toEqual([]);
      vi.runAllTimers();
      expect(pending.map(({ text }) => text)).toEqual(['one\n']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('drops all lines once its reader has gone', () => {
    const { writer, pending, synchronous, fails } = controlledDescriptor();
    const output = new StandardOutput(writer);
    output.write('one\n');
    fails('EPIPE');
    output.write('two\n');
    output.flushSync();
    expect([pending, synchronous]).toEqual([[], []]);
  });

  it('drops lines beyond 8 MiB that wait for a slow reader', () => {
    const { writer, pending } = controlledDescriptor();
    const output = new StandardOutput(writer);
    const line = `${'x'.repeat(1_048_575)}\n`;
    for (let i = 0; i < 20; i++) output.write(line);
    pending.shift()?.done(null, line.length);
    expect(pending.map(({ text }) => text.length)).toEqual([8 * line.length]);
  });

  it('writes the waiting lines before the process exits', () => {
    const { writer, synchronous } = controlledDescriptor();
    const output = new StandardOutput(writer);
    for (const line of ['one\n', 'two\n', 'three\n']) output.write(line);
    output.flushSync();
    expect(synchronous).toEqual(['two\nthree\n']);
  });

  it('writes the lines of a failed attempt before the process exits', () => {
    const { writer, synchronous, fails } = controlledDescriptor();
    const output = new StandardOutput(writer);
    output.write('one\n');
    output.write('two\n');
    fails('EAGAIN');
    output.flushSync();
    expect(synchronous).toEqual(['one\ntwo\n']);
  });

  it('gives up at the exit if its reader has gone', () => {
    const { writer } = controlledDescriptor();
    const writeSync = () => {
      throw Object.assign(new Error('EPIPE'), { code: 'EPIPE' });
    };
    const output = new StandardOutput({ ...writer, writeSync });
    output.write('one\n');
    output.write('two\n');
    expect(() => output.flushSync()).not.toThrow();
  });
});
