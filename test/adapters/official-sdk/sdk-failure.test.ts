import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';
import { expect, it } from 'vitest';
import { ResponseLostError } from '../../../adapters/http/pooled-response.ts';
import { failureOfSdk } from '../../../adapters/official-sdk/sdk-failure.ts';

const HEADERS = new Headers({ 'retry-after': '7', 'set-cookie': 'secret' });
const BODY = { error: { type: 'rate_limit_error', message: 'the key secret is busy' } };

it.each([
  [openai.APIError.generate(429, BODY, undefined, HEADERS), 'rate_limited', 'HTTP status 429 (rate_limit_error)'],
  [anthropic.APIError.generate(429, BODY, undefined, HEADERS), 'rate_limited', 'HTTP status 429 (rate_limit_error)'],
  [
    openai.APIError.generate(
      422,
      { error: { detail: [{ type: 'missing', loc: ['body', 'model'] }] } },
      undefined,
      HEADERS,
    ),
    'bad_request',
    'HTTP status 422 (missing: body.model)',
  ],
  [openai.APIError.generate(500, undefined, 'secret', HEADERS), 'unavailable', 'HTTP status 500'],
  [new openai.APIError(undefined, { code: 429 }, 'secret', HEADERS), 'rate_limited', 'the stream reported an error'],
  [
    new anthropic.APIError(undefined, BODY, 'secret', HEADERS),
    'rate_limited',
    'the stream reported an error (rate_limit_error)',
  ],
  [new openai.APIConnectionError({ message: 'secret' }), 'unavailable', 'no connection'],
  [new anthropic.APIConnectionError({ message: 'secret' }), 'unavailable', 'no connection'],
  [new openai.APIConnectionTimeoutError(), 'timeout', 'the connection was not open in time'],
  [new ResponseLostError(new Error('secret')), 'closed', 'the provider closed the stream before its end'],
  [new SyntaxError('secret'), 'malformed', 'the response is not JSON'],
  [new TypeError('secret'), 'bad_request', 'the request could not be sent'],
] as const)('%s becomes a failure in our own words', (error, code, message) => {
  const failure = failureOfSdk('any', error, 0);
  expect(failure).toMatchObject({ provider: 'any', code, message });
  expect(JSON.stringify(failure)).not.toContain('secret');
});
