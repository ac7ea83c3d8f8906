/** Characters of a wrong value in a message. */
const SHOWN_LENGTH_MAX = 100;

export interface ConfigurationProblem {
  readonly variable: string;
  readonly expected: string;
  /** The wrong value. Missing for secrets and for variables that are not set. */
  readonly value?: string | undefined;
  /** The valid value that resembles the wrong one. */
  readonly nearest?: string | undefined;
}

/** Lists every wrong variable with the expected value, and with the actual one unless it is a secret. */
export class ConfigurationError extends Error {
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** One line for people. */
export function describeProblem({ variable, expected, nearest, value }: ConfigurationProblem): string {
  const got = value === undefined ? '' : `, got ${JSON.stringify(value.slice(0, SHOWN_LENGTH_MAX))}`;
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${variable}: expected ${expected}${got}${hint}`;
}
