import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../log/log.ts';
import type { NodeAnswerRepository } from '../storage/cluster/node-answer-repository.ts';
import type { NodeMessage, QuestionSubject } from '../storage/cluster/node-bus.ts';

/** Interval of looks for an answer, ms: the notification of the answer may be lost. */
const LOOK_INTERVAL_MS = 50;
/** Repeats the question, because a reconnecting node misses it. Repeating has no further effect. */
const REPEAT_MS = 1_000;
/** Answered questions that a node remembers: many more than others repeat at one time. */
const ANSWERED_MAX = 1_000;

/** Returns what this node has in memory under an id; null: nothing. */
export type AnswerQuestion = (id: string) => Promise<Uint8Array | null>;

export interface NodeQuestion {
  readonly subject: QuestionSubject;
  readonly id: string;
}

export interface NodeQuestionsOptions {
  readonly nodeId: string;
  readonly answers: Pick<NodeAnswerRepository, 'put' | 'take'>;
  /** Rejects with a `DatabaseError`. */
  readonly notify: (message: NodeMessage) => Promise<void>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Questions of this node to others, and theirs to this one. An answer of any size goes through a row, once. */
export class NodeQuestions {
  readonly #options: NodeQuestionsOptions;
  readonly #answerOf = new Map<QuestionSubject, AnswerQuestion>();
  /** Ends the pause of a question whose answer is stored, by request. */
  readonly #waiting = new Map<string, () => void>();
  /** Requests that are answered or being answered, the oldest first: a second answer would stay, as it is taken once. */
  readonly #answered = new Set<string>();

  constructor(options: NodeQuestionsOptions) {
    this.#options = options;
  }

  /** Answers the questions of other nodes from now on. */
  answer(subject: QuestionSubject, answer: AnswerQuestion): void {
    this.#answerOf.set(subject, answer);
  }

  /** The answer of another node; null: it has nothing. Undefined: it did not answer in time. Rejects with a `DatabaseError`. */
  async ask(nodeId: string, question: NodeQuestion, waitMs: number): Promise<Uint8Array | null | undefined> {
    const { answers, notify, nodeId: askedBy } = this.#options;
    const requestId = randomUUID();
    const message: NodeMessage = { type: 'question', nodeId, askedBy, requestId, ...question };
    try {
      for (let waitedMs = 0; waitedMs < waitMs; waitedMs += LOOK_INTERVAL_MS) {
        const stored = this.#answerOrPause(requestId);
        if (waitedMs % REPEAT_MS === 0) await notify(message);
        await stored;
        const body = await answers.take(requestId);
        if (body !== undefined) return body;
      }
      return undefined;
    } finally {
      this.answered(requestId);
      this.#waiting.delete(requestId);
    }
  }

  /** Never rejects. */
  async receive({ askedBy, id, requestId, subject }: Extract<NodeMessage, { type: 'question' }>): Promise<void> {
    const { answers, log, notify } = this.#options;
    const answer = this.#answerOf.get(subject);
    if (answer === undefined || this.#answered.has(requestId)) return;
    this.#remember(requestId);
    try {
      await answers.put(requestId, await answer(id));
      await notify({ type: 'answered', nodeId: askedBy, requestId });
    } catch (error) {
      this.#answered.delete(requestId);
      log.warn({ err: error, subject }, 'question of another node failed');
    }
  }

  /** The answer to a question of this node is stored. */
  answered(requestId: string): void {
    this.#waiting.get(requestId)?.();
  }

  #remember(requestId: string): void {
    this.#answered.add(requestId);
    const [oldest] = this.#answered;
    if (this.#answered.size > ANSWERED_MAX && oldest !== undefined) this.#answered.delete(oldest);
  }

  #answerOrPause(requestId: string): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(LOOK_INTERVAL_MS, resolve);
      this.#waiting.set(requestId, () => {
        cancel();
        resolve();
      });
    });
  }
}
