import { expect, it } from 'vitest';
import { tapeInput } from '../../../engine/timeline/tape-input.ts';
import { Simulation } from '../simulation/simulation.ts';

it('a request to the model or the voice has its provider, and a generation its model and tokens', () => {
  const call = new Simulation({ agent: {}, model: [{ after: 0.5, text: 'Yes.' }] });
  call.userSpeaks(0.5, 1.5, 'Is there a table?').hangUpAt(10).runUntil(11);
  const { spans } = tapeInput(call.tape);
  const request = call.tape.flatMap(({ commands }) => commands).find(({ type }) => type === 'model.request');
  const { model, provider } = request?.type === 'model.request' ? request.request : {};
  const usage = { inputTokens: 10, outputTokens: 5 };
  expect(spans.find(({ type }) => type === 'model')).toMatchObject({ provider, model, usage });
  expect(spans.find(({ type }) => type === 'voice')).toMatchObject({ provider: expect.any(String) });
});
