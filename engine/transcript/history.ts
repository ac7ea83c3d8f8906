import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { AgentItem, HistoryItem } from '../core/state/transcript-slice.ts';
import type { ModelMessage, ModelToolCall } from '../ports/language-model.ts';
import { quotedText } from '../variables/prompt-value.ts';

/** Tool call ids that every provider accepts. */
const TOOL_CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns the id of the item.
 *
 * @param id of an item whose place was reserved: the answer to it may be in the history already
 */
export function addUserText(step: RuleStep, text: string, id: number = step.nextNumber('item')): number {
  step.change({ history: withUserItem(step.context.history, { type: 'user', id, text }) });
  return id;
}

type UserItem = Extract<HistoryItem, { readonly type: 'user' }>;

function withUserItem(history: readonly HistoryItem[], item: UserItem): readonly HistoryItem[] {
  const following = history.findIndex((other) => other.id > item.id);
  const at = following < 0 ? history.length : following;
  return [...history.slice(0, at), item, ...history.slice(at)];
}

/** The conversation with the words of a pending turn in their place. */
export function conversationItems({ history, reply }: CallContext): readonly HistoryItem[] {
  const pending = reply?.pending;
  if (pending == null) return history;
  return withUserItem(history, { type: 'user', id: pending.item, text: pending.text });
}

/** Removes the agent's items after this one: nothing of them was heard. */
export function removeAgentItems(step: RuleStep, after: number): void {
  step.change({ history: step.context.history.filter(({ id, type }) => type !== 'agent' || id < after) });
}

/** The answer to a committed turn has begun, and no word of it was heard. */
export function isAnswerUnheard({ history, reply }: CallContext): boolean {
  if (reply?.turn == null) return false;
  const items = new Set(reply.segments.map(({ item }) => item));
  return history.every((item) => item.type !== 'agent' || !items.has(item.id) || item.entry === null);
}

/** Removes the user's item and the agent's items after it: the turn goes on, and nothing of its answer was heard. */
export function reopenUserItem(step: RuleStep, id: number): void {
  removeAgentItems(step, id);
  step.change({ history: step.context.history.filter((item) => item.id !== id) });
}

/** Replaces the user's words in an item; a note after them stays. */
export function amendUserText(step: RuleStep, id: number, earlier: string, text: string): void {
  step.change({
    history: step.context.history.map((item) =>
      item.type === 'user' && item.id === id ? { ...item, text: item.text.replace(earlier, () => text) } : item,
    ),
  });
}

/** Adds an empty agent item and returns its id. Text and calls are added to it later. */
export function addAgentItem(step: RuleStep): number {
  const id = step.nextNumber('item');
  add(step, { type: 'agent', id, text: '', playedText: null, calls: [], entry: null });
  return id;
}

export function addToolResult(step: RuleStep, toolCallId: string, content: string): void {
  add(step, { type: 'result', id: step.nextNumber('item'), toolCallId, content });
}

/** Replaces the result of a tool call, for example after an interrupted goodbye. */
export function amendToolResult(step: RuleStep, toolCallId: string, content: string): void {
  step.change({
    history: step.context.history.map((item) =>
      item.type === 'result' && item.toolCallId === toolCallId ? { ...item, content } : item,
    ),
  });
}

export function agentItem(context: CallContext, id: number): AgentItem | undefined {
  return context.history.find((item): item is AgentItem => item.type === 'agent' && item.id === id);
}

export function changeAgentItem(step: RuleStep, id: number, changed: Partial<AgentItem>): void {
  step.change({
    history: step.context.history.map((item) =>
      item.type === 'agent' && item.id === id ? { ...item, ...changed } : item,
    ),
  });
}

/** The ids of the tool calls in these items. */
export function toolCallIds(history: readonly HistoryItem[]): readonly string[] {
  return history.flatMap((item) => (item.type === 'agent' ? item.calls.map(({ id }) => id) : []));
}

/** Tools were called for a user's item, or for later ones. */
export function hasCallsAfter(history: readonly HistoryItem[], item: number): boolean {
  return history.some((other) => other.id > item && other.type === 'agent' && other.calls.length > 0);
}

/** Gives each tool call an id that is unique within the phone call and that every provider accepts. */
export function withUniqueToolCallIds(
  { history, summary }: CallContext,
  calls: readonly ModelToolCall[],
  generation: number,
): readonly ModelToolCall[] {
  const taken = new Set([...summary.callIds, ...toolCallIds(history)]);
  return calls.map((call, index) => {
    const generated = `call_${generation}_${index}`;
    let id = TOOL_CALL_ID.test(call.id) ? call.id : generated;
    for (let attempt = 0; taken.has(id); attempt++) id = attempt === 0 ? generated : `${generated}_${attempt}`;
    taken.add(id);
    return { ...call, id };
  });
}

/** The result of a call in each request that is made while it runs. */
const STILL_RUNNING =
  'Still running. Its result will follow later: do not call it again for it, and answer the caller while it runs.';

/**
 * The conversation in the form that strict providers accept: played text only, each tool call directly followed by its
 * one result, no empty message, and no two messages of one party in a row. A running call has the result that it is
 * still running. A result that came after the user's next words is a separate message in its place: the model saw the
 * call without it.
 *
 * @param lateRole the role of late results: `tool` where no provider reads the messages
 */
export function historyMessages(
  history: readonly HistoryItem[],
  lateRole: 'user' | 'tool' = 'user',
): readonly ModelMessage[] {
  const results = resultsInPlace(history);
  const messages: ModelMessage[] = [];
  for (const item of history) {
    if (item.type === 'user') pushMerged(messages, { role: 'user', content: item.text });
    if (item.type === 'agent') pushAgent(messages, item, results);
    if (item.type !== 'result' || results.get(item.toolCallId) === item) continue;
    if (lateRole === 'tool') messages.push({ role: 'tool', toolCallId: item.toolCallId, content: item.content });
    else pushMerged(messages, { role: 'user', content: lateResultText(history, item) });
  }
  return messages;
}

/** The results that came before the user's next words, by the id of their call. */
function resultsInPlace(history: readonly HistoryItem[]): ReadonlyMap<string, ResultItem> {
  const open = new Set<string>();
  const results = new Map<string, ResultItem>();
  for (const item of history) {
    if (item.type === 'user') open.clear();
    if (item.type === 'agent') for (const { id } of item.calls) open.add(id);
    if (item.type === 'result' && open.has(item.toolCallId)) results.set(item.toolCallId, item);
  }
  return results;
}

/** A tool's answer is data, quoted in a message that must have the user's role. */
function lateResultText(history: readonly HistoryItem[], { toolCallId, content }: ResultItem): string {
  const calls = history.flatMap((item) => (item.type === 'agent' ? item.calls : []));
  const name = calls.find(({ id }) => id === toolCallId)?.name;
  return `[Not said by the caller. ${name === undefined ? 'An earlier function' : `The function ${name}`} has answered: ${quotedText(content)}]`;
}

function pushAgent(messages: ModelMessage[], item: AgentItem, results: ReadonlyMap<string, ResultItem>): void {
  const content = item.playedText ?? item.text;
  const { calls } = item;
  if (calls.length === 0) {
    if (content !== '') pushMerged(messages, { role: 'assistant', content });
    return;
  }
  pushMerged(messages, { role: 'assistant', content, toolCalls: calls });
  for (const { id } of calls)
    messages.push({ role: 'tool', toolCallId: id, content: results.get(id)?.content ?? STILL_RUNNING });
}

type ResultItem = Extract<HistoryItem, { readonly type: 'result' }>;
type SpokenMessage = Extract<ModelMessage, { readonly role: 'user' | 'assistant' }>;

function pushMerged(messages: ModelMessage[], message: SpokenMessage): void {
  const last = messages.at(-1);
  const calls = last?.role === 'assistant' ? last.toolCalls : undefined;
  if (last === undefined || last.role !== message.role || calls !== undefined) {
    messages.push(message);
    return;
  }
  messages[messages.length - 1] = { ...message, content: joinTexts(last.content, message.content) };
}

export function joinTexts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function add(step: RuleStep, item: HistoryItem): void {
  step.change({ history: [...step.context.history, item] });
}
