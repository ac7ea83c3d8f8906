import { expect, it } from 'vitest';
import { misspeltVariables } from '../../../src/configuration/misspelt-variable.ts';

it.each([
  ['HTTPPORT', 'HTTP_PORT'],
  ['sip_bind', 'SIP_BIND'],
  ['SIP_PROT', 'SIP_PORT'],
  ['SIP_PRT', 'SIP_PORT'],
  ['HTP_PORT', 'HTTP_PORT'],
  ['RETENTION_DAY', 'RETENTION_DAYS'],
  ['DATADIR', 'DATA_DIR'],
  ['LLM_PROVIDER', 'DEFAULT_LLM_PROVIDER'],
  ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
  ['DEEPGRAM_API_KY', 'DEEPGRAM_API_KEY'],
  ['TRUNKLINE_APIKEY', 'TRUNKLINE_API_KEY'],
])('%s is reported as %s', (variable, nearest) => {
  expect(misspeltVariables({ [variable]: 'x' })).toEqual([{ variable, nearest }]);
});

it('reports every unknown variable with our prefix', () => {
  expect(misspeltVariables({ TRUNKLINE_COLOUR: 'x' })).toEqual([{ variable: 'TRUNKLINE_COLOUR' }]);
});

it.each([
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'HTTPS_PORT',
    'HTTPS_BIND',
    'HTTP_PORTS',
    'FTP_PORT',
    'SMTP_PORT',
    'TCP_PORT',
    'IP_PORT',
    'DATA_DIRS',
    'PUBLIC_URI',
    'HTTP_HOST',
    'PORT',
    'LOGLEVEL',
    'LOG_FILE',
    'PGDATABASE',
  ],
  ...[
    'LLM_API_KEY',
    'GROK_API_KEY',
    'DATABASE_URI',
    'DATABASE_NAME',
    'XDG_DATA_DIRS',
    'OPENAI_ORG_ID',
    'OPENAI_API_BASE',
  ],
  ...['OLLAMA_HOST', 'AZURE_CLIENT_ID', 'ANTHROPIC_AUTH_TOKEN', 'GEMINI_MODEL', 'PATH', 'npm_package_version'],
])('%s of another program is not reported', (variable) => {
  expect(misspeltVariables({ [variable]: 'x' })).toEqual([]);
});

it('reports no variable that resembles one which is set', () => {
  expect(misspeltVariables({ OPENAI_KEY: 'x', OPENAI_API_KEY: 'y' })).toEqual([]);
});
