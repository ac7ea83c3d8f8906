/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 2;
/** Maximum number of compared lines. The rest of longer texts counts as replaced. */
const LINES_MAX = 2_000;

/** Diff of two texts like a unified diff: `-` only in the first, `+` only in the second, two spaces in both. Empty if equal. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  const lines = compare(before, after);
  const near = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ mark }) => mark !== ' ');
  return lines.flatMap(({ mark, text }, index) => {
    if (near(index)) return [`${mark} ${text}`];
    return index > 0 && near(index - 1) && lines.slice(index).some((line) => line.mark !== ' ') ? ['  …'] : [];
  });
}

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Longest common subsequence of the lines between the common prefix and suffix. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < Math.min(before.length, after.length) - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail++;
  }
  const mark = (sign: Line['mark'], lines: readonly string[]): Line[] => lines.map((text) => ({ mark: sign, text }));
  return [
    ...mark(' ', before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...mark(' ', before.slice(before.length - tail)),
  ];
}

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length > LINES_MAX || after.length > LINES_MAX) {
    return [...before.map((text): Line => ({ mark: '-', text })), ...after.map((text): Line => ({ mark: '+', text }))];
  }
  const width = after.length + 1;
  /** Length of the longest common subsequence of the two texts from these lines on. */
  const common = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      lines.push({ mark: ' ', text: old });
      i++;
      j++;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: '-', text: old });
      i++;
    } else if (fresh !== undefined) {
      lines.push({ mark: '+', text: fresh });
      j++;
    }
  }
  return lines;
}
