import { describe, expect, it } from 'vitest';
import type { EngineNotice } from '../../../engine/core/notice.ts';
import { logEngineNotice } from '../../../src/log/engine-notice-log.ts';
import { createLogger } from '../../../src/log/log.ts';

/** A notice of each type, and the log line that it becomes. */
const LINES: { readonly [T in EngineNotice['type']]: readonly [Extract<EngineNotice, { type: T }>, object] } = {
  answer_type_detected: [
    { type: 'answer_type_detected', answerType: 'voicemail', reason: 'a beep' },
    { level: 'info', msg: 'answer type detected', answer_type: 'voicemail', reason: 'a beep' },
  ],
  call_failed: [
    { type: 'call_failed', reason: 'llm_error', detail: 'openai unavailable: no' },
    { level: 'warn', msg: 'call failed', reason: 'llm_error', detail: 'openai unavailable: no' },
  ],
  extraction_failed: [
    { type: 'extraction_failed', error: 'openai timeout: no' },
    { level: 'warn', msg: 'variable extraction failed', error: 'openai timeout: no' },
  ],
  failure_transfer_skipped: [
    { type: 'failure_transfer_skipped', reason: 'There is no destination.' },
    { level: 'warn', msg: 'failure transfer skipped', reason: 'There is no destination.' },
  ],
  generation_limit_reached: [
    { type: 'generation_limit_reached', generations: 8 },
    { level: 'warn', msg: 'generation limit reached', generations: 8 },
  ],
  playout_stalled: [
    { type: 'playout_stalled', next: 'listen' },
    { level: 'error', msg: 'playout stalled', next: 'listen' },
  ],
  port_failed: [
    { type: 'port_failed', port: 'tools', error: 'Error: no' },
    { level: 'error', msg: 'call port failed', port: 'tools', err: 'Error: no' },
  ],
  provider_failed: [
    { type: 'provider_failed', kind: 'voice', provider: 'cartesia Ada', error: 'cartesia closed: no' },
    { level: 'warn', msg: 'provider failed', kind: 'voice', provider: 'cartesia Ada', error: 'cartesia closed: no' },
  ],
  provider_failed_over: [
    { type: 'provider_failed_over', kind: 'transcriber', from: 'deepgram', to: 'openai', error: 'deepgram closed: no' },
    {
      level: 'warn',
      msg: 'provider failed over',
      kind: 'transcriber',
      from: 'deepgram',
      to: 'openai',
      error: 'deepgram closed: no',
    },
  ],
  refer_refused: [{ type: 'refer_refused' }, { level: 'info', msg: 'REFER refused, call bridged' }],
  response_empty: [
    { type: 'response_empty', provider: 'openai gpt' },
    { level: 'warn', msg: 'model response empty', provider: 'openai gpt' },
  ],
  rule_failed: [
    { type: 'rule_failed', error: 'Error: no\n    at rule' },
    { level: 'error', msg: 'engine rule failed', err: 'Error: no\n    at rule' },
  ],
  segment_limit_reached: [
    { type: 'segment_limit_reached', segments: 200 },
    { level: 'warn', msg: 'segment limit reached', segments: 200 },
  ],
  summary_failed: [
    { type: 'summary_failed', error: 'openai timeout: no' },
    { level: 'warn', msg: 'history summary failed', error: 'openai timeout: no' },
  ],
  tape_write_failed: [
    { type: 'tape_write_failed', error: 'Error: no' },
    { level: 'error', msg: 'tape write failed', err: 'Error: no' },
  ],
  transcriber_reopened: [
    { type: 'transcriber_reopened', speechMs: 2_000 },
    { level: 'warn', msg: 'transcriber reopened', speech_ms: 2_000 },
  ],
  user_audio_lost: [
    { type: 'user_audio_lost', lostMs: 120 },
    { level: 'warn', msg: 'user audio lost', lost_ms: 120 },
  ],
  turn_failed: [
    { type: 'turn_failed', reason: 'llm_error', detail: 'openai unavailable: no' },
    { level: 'warn', msg: 'turn failed', reason: 'llm_error', detail: 'openai unavailable: no' },
  ],
  variable_missing: [
    { type: 'variable_missing', variable: 'street', usedIn: 'tool_url', tool: 'lookup' },
    { level: 'warn', msg: 'variable value missing', variable: 'street', used_in: 'tool_url', tool: 'lookup' },
  ],
};

function loggedLine(notice: EngineNotice): unknown {
  let line = '';
  const destination = {
    write: (text: string): void => {
      line += text;
    },
  };
  logEngineNotice(createLogger({ level: 'debug', format: 'json', secrets: [], destination }), notice);
  const { time: _time, ...fields } = JSON.parse(line);
  return fields;
}

describe('the log of an engine notice', () => {
  it.each(Object.values(LINES))('writes %o as one line', (notice, line) => expect(loggedLine(notice)).toEqual(line));
});
