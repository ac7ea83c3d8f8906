import { expect, it } from 'vitest';
import { ineffectiveVariables } from '../../../src/configuration/ineffective-variables.ts';

const SET = { SIP_BIND: '192.0.2.1', SIP_PORT: '5070', SIP_TLS_CA: 'ca.pem', SIP_LOCAL_NETWORKS: '' };

it('names the settings of the embedded SIP server that are set beside SIP_SERVER', () => {
  expect(ineffectiveVariables({ ...SET, SIP_SERVER: '127.0.0.1:9022' })).toEqual(['SIP_PORT', 'SIP_TLS_CA']);
});

it('names none without SIP_SERVER', () => {
  expect(ineffectiveVariables(SET)).toEqual([]);
  expect(ineffectiveVariables({ ...SET, SIP_SERVER: '' })).toEqual([]);
});
