import { describe, expect, it } from 'vitest';
import { Screen, type ScreenOutput, wantsColour } from '../../../../src/cli/text-call/screen.ts';

function screen(colour: boolean) {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) };
  return { screen: new Screen(output, colour), written: () => written.join('') };
}

describe('Screen', () => {
  it('prints the words of one reply on one line', () => {
    const { screen: lines, written } = screen(false);
    lines.begin('agent', 'One.');
    lines.append('agent', ' Two.');
    lines.line('end', 'silence');
    expect(written()).toBe('agent   One. Two.\nend     silence\n');
  });

  it('starts a new line after a line of another kind', () => {
    const { screen: lines, written } = screen(false);
    lines.begin('agent', 'One.');
    lines.line('variable', 'a = 1');
    lines.append('agent', ' Two.');
    lines.endLine();
    expect(written()).toBe('agent   One.\nvar     a = 1\nagent   Two.\n');
  });

  it('prints model output on one line, without control characters', () => {
    const { screen: lines, written } = screen(false);
    lines.line('agent', 'a\u001b[2Jb\nc\u009b1m \u202egnp.exe');
    lines.plain('warning: \u001b[2J');
    expect(written()).toBe('agent   a\\u001b[2Jb c\\u009b1m \\u202egnp.exe\nwarning: \\u001b[2J\n');
  });

  it('uses colour only if it is enabled', () => {
    const { screen: lines, written } = screen(true);
    lines.line('agent', 'One.');
    expect(written()).toBe('\u001b[2magent   \u001b[0m\u001b[32mOne.\u001b[0m\n');
  });
});

describe('wantsColour', () => {
  const terminal: ScreenOutput = { write: () => true, isTTY: true };
  const pipe: ScreenOutput = { write: () => true };

  it.each([
    [terminal, {}, true],
    [terminal, { NO_COLOR: '' }, true],
    [terminal, { NO_COLOR: '1' }, false],
    [pipe, {}, false],
  ])('%j %j: %s', (output, environment, wanted) => {
    expect(wantsColour(output, environment)).toBe(wanted);
  });
});
