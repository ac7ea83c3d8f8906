import type { CallFilter } from '../../src/storage/call-search/call-filter.ts';
import type { Page } from '../../src/storage/database/listing.ts';
import { ORGANIZATION, PAGE_SIZE, type Question, type StoredYear } from './question.ts';
import {
  COMMON_AGENT,
  COMMON_ENTRY,
  FROM_NUMBER,
  RARE_AGENT,
  RARE_COST,
  RARE_ENTRY,
  TO_NUMBER,
} from './year-of-calls.ts';
import { EVEN_WORD, EVERY_WORD, ODD_WORD, RARE_WORD, SOME_WORD } from './year-of-texts.ts';

type Filters = readonly (readonly [name: string, filter: CallFilter])[];

/** The filters that pages by number have too. */
function plainFilters({ middleMs }: StoredYear): Filters {
  return [
    ['none', {}],
    ['agent, common', { agentId: COMMON_AGENT }],
    ['agent, rare', { agentId: RARE_AGENT }],
    ['type, common', { type: 'phone_call' }],
    ['type, rare', { type: 'web_call' }],
    ['from_number', { fromNumber: FROM_NUMBER }],
    ['to_number', { toNumber: TO_NUMBER }],
    ['start_time_gt', { startAfterMs: middleMs }],
    ['start_time_lt', { startBeforeMs: middleMs }],
    ['running', { running: true }],
  ];
}

export function listQuestions(year: StoredYear): readonly Question[] {
  return plainFilters(year).flatMap((entry) => byCursor('list', entry, year));
}

/** Pairs that are common alone, and rare or impossible together. */
const PAIRS: Filters = [
  ['agent, from_number: none', { agentId: COMMON_AGENT, fromNumber: '+4915100000008' }],
  ['agent, to_number', { agentId: COMMON_AGENT, toNumber: '+493000000001' }],
  ['type, from_number: none', { type: 'web_call', fromNumber: FROM_NUMBER }],
  ['type, agent', { type: 'phone_call', agentId: COMMON_AGENT }],
  ['type, agent: none', { type: 'web_call', agentId: COMMON_AGENT }],
  ['running, type', { running: true, type: 'phone_call' }],
  ['running, agent, type: none', { running: true, agentId: RARE_AGENT, type: 'web_call' }],
];

function pairs({ middleMs }: StoredYear): Filters {
  const week = 3 * 24 * 3_600_000;
  return [
    ...PAIRS,
    ['agent, start_time_lt', { agentId: COMMON_AGENT, startBeforeMs: middleMs }],
    ['agent, three days', { agentId: COMMON_AGENT, startAfterMs: middleMs - week, startBeforeMs: middleMs }],
    ['from_number, to_number, start_time_gt', { fromNumber: FROM_NUMBER, toNumber: TO_NUMBER, startAfterMs: middleMs }],
  ];
}

export function pairQuestions(year: StoredYear): readonly Question[] {
  return pairs(year).flatMap((entry) => byCursor('list', entry, year));
}

export function pageQuestions(year: StoredYear): readonly Question[] {
  const last = Math.ceil(year.calls / PAGE_SIZE);
  const deep = plainFilters(year).flatMap(([name, filter]) => [
    listed(`page 2: ${name}`, filter, { mode: 'page', page: 2, limit: PAGE_SIZE }),
    listed(`page ${Math.round(last / 3)}: ${name}`, filter, {
      mode: 'page',
      page: Math.round(last / 3),
      limit: PAGE_SIZE,
    }),
  ]);
  return [
    ...deep,
    listed(`page ${last}: none`, {}, { mode: 'page', page: last, limit: PAGE_SIZE }),
    ...pairs(year).map(([name, filter]) =>
      listed(`page 2: ${name}`, filter, { mode: 'page', page: 2, limit: PAGE_SIZE }),
    ),
    listed('list of 1,000 calls', {}, { mode: 'cursor', beforeUs: null, limit: 1_000 }),
  ];
}

const SEARCHES: Filters = [
  ['status, common', { status: 'completed' }],
  ['status, rare', { status: 'failed' }],
  ['status, none', { status: 'busy' }],
  ['direction', { direction: 'outbound' }],
  ['end_reason, rare', { endReason: 'llm_error' }],
  ['end_reason, none', { endReason: 'node_lost' }],
  ['answer_type', { answerType: 'voicemail' }],
  ['cost_gt, common', { costAbove: 0.05 }],
  ['cost_gt, rare', { costAbove: RARE_COST - 1 }],
  ['cost_gt, none', { costAbove: RARE_COST }],
  ['response_ms_gt, 1 %', { responseAboveMs: 1_985 }],
  ['response_ms_gt, none', { responseAboveMs: 2_000 }],
  ['metadata, common', { metadata: COMMON_ENTRY }],
  ['metadata, rare', { metadata: RARE_ENTRY }],
  ['metadata, two', { metadata: { ...COMMON_ENTRY, ...RARE_ENTRY } }],
  ['agent rare, end_reason', { agentId: RARE_AGENT, endReason: 'caller_hangup' }],
  ['agent, status failed', { agentId: COMMON_AGENT, status: 'failed' }],
  ['direction, cost rare', { direction: 'inbound', costAbove: RARE_COST - 1 }],
  ['agent, answer_type: none', { agentId: 'agent 1', answerType: 'human' }],
  ['direction, response_ms 1 %', { direction: 'inbound', responseAboveMs: 1_985 }],
  ['metadata, end_reason: none', { metadata: COMMON_ENTRY, endReason: 'no_answer' }],
  ['cost, response_ms: none', { costBelow: 0.02, responseAboveMs: 1_999 }],
];

export function searchQuestions(year: StoredYear): readonly Question[] {
  return SEARCHES.flatMap((entry) => byCursor('search', entry, year));
}

/** As many common beginnings and words as a query may have: five beginnings that one index finds, and words that never meet. */
const HOSTILE = `wor* word* word1* word2* word3* ${EVERY_WORD} ${EVEN_WORD} ${ODD_WORD}`;
/** The same with long beginnings, which are common alone; a phrase of common words in an order that no call has. */
const LONG_HOSTILE = `word10* word11* word12* word13* word14* ${EVERY_WORD} ${EVEN_WORD} ${ODD_WORD}`;
const PHRASE_NONE = `"${EVEN_WORD} ${EVERY_WORD}"`;

const TEXTS: Filters = [
  ['word in each', { transcript: EVERY_WORD }],
  ['word, half', { transcript: EVEN_WORD }],
  ['word, 0.5 %', { transcript: SOME_WORD }],
  ['word, rare', { transcript: RARE_WORD }],
  ['word, none', { transcript: 'nowhere' }],
  ['three words', { transcript: `${EVERY_WORD} ${SOME_WORD} ${EVEN_WORD}` }],
  ['two words, 0.5 % and half: none', { transcript: `${SOME_WORD} ${ODD_WORD}` }],
  ['beginning, wor*', { transcript: 'wor*' }],
  ['beginning, word1*', { transcript: 'word1*' }],
  ['beginning, rare: xyl*', { transcript: 'xyl*' }],
  ['beginning, none: wordzz9*', { transcript: 'wordzz9*' }],
  ['beginning and word', { transcript: `refu* ${EVERY_WORD}` }],
  ['phrase', { transcript: `"${EVERY_WORD} ${EVEN_WORD}"` }],
  ['phrase, none', { transcript: PHRASE_NONE }],
  ['common words, never together', { transcript: `${EVEN_WORD} ${ODD_WORD}` }],
  ['hostile', { transcript: HOSTILE }],
  ['hostile, long beginnings', { transcript: LONG_HOSTILE }],
  ['hostile, phrases', { transcript: `"${EVEN_WORD} ${EVERY_WORD} ${ODD_WORD} ${EVEN_WORD}" ${PHRASE_NONE} wor*` }],
  ['word in each, agent rare', { transcript: EVERY_WORD, agentId: RARE_AGENT }],
  ['word in each, agent', { transcript: EVERY_WORD, agentId: COMMON_AGENT }],
  ['word 0.5 %, agent', { transcript: SOME_WORD, agentId: COMMON_AGENT }],
  ['word 0.5 %, end_reason: none', { transcript: SOME_WORD, endReason: 'node_lost' }],
  ['word, agent, answer_type: none', { transcript: EVEN_WORD, agentId: 'agent 1', answerType: 'human' }],
  ['word in each, cost rare', { transcript: EVERY_WORD, costAbove: RARE_COST - 1 }],
  ['word in each, cost common', { transcript: EVERY_WORD, costAbove: 0.05 }],
  ['hostile, direction', { transcript: HOSTILE, direction: 'inbound' }],
];

export function textQuestions(year: StoredYear): readonly Question[] {
  return TEXTS.flatMap((entry) => byCursor('transcript', entry, year));
}

/** The first page, and one from the middle of the year. */
function byCursor(kind: string, [name, filter]: Filters[number], { middleMs }: StoredYear): readonly Question[] {
  return [
    listed(`${kind}: ${name}`, filter, { mode: 'cursor', beforeUs: null, limit: PAGE_SIZE }),
    listed(`${kind}, middle: ${name}`, filter, { mode: 'cursor', beforeUs: middleMs * 1_000, limit: PAGE_SIZE }),
  ];
}

function listed(name: string, filter: CallFilter, page: Page): Question {
  return { name, ask: ({ callLists }) => callLists.list(ORGANIZATION, filter, page) };
}
