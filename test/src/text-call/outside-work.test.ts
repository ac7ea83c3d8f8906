import { expect, it } from 'vitest';
import { customFunctionSchema } from '../../../engine/agent/tool-schema.ts';
import { CallTime } from '../../../src/text-call/call-time.ts';
import { modelInTime, toolsInTime } from '../../../src/text-call/outside-work.ts';

const fail = () => {
  throw new Error('injected');
};
const URL = 'https://example.com';
const TOOL = customFunctionSchema.parse({ type: 'custom_function', name: 'f', url: URL });

it('the clock of a text call does not run for a model that could not start', () => {
  const time = new CallTime(0);
  const request = { provider: 'p', model: 'm', messages: [], functions: [] };
  expect(() => modelInTime({ generate: fail }, time).generate(request, () => {})).toThrow('injected');
  expect(time.isPassing).toBe(false);
});

it('the clock of a text call does not run for a function that could not start', () => {
  const time = new CallTime(0);
  const run = { tool: TOOL, url: URL, values: {}, headers: {} };
  expect(() => toolsInTime({ run: fail }, time).run(run, () => {}, 'call_1')).toThrow('injected');
  expect(time.isPassing).toBe(false);
});
