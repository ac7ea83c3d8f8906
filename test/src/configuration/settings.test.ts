import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../src/configuration/settings.ts';
import { CONFIGURATION_VARIABLES } from '../../../src/configuration/variables.ts';

function setting(variable: string, environment: Record<string, string> = {}) {
  return settingsOf(environment).find((one) => one.variable === variable);
}

describe('the settings', () => {
  it('are all variables, each with a text', () => {
    const all = settingsOf({});
    expect(all.map(({ variable }) => variable).sort()).toEqual([...CONFIGURATION_VARIABLES].sort());
    expect(all.filter(({ text }) => text === '')).toEqual([]);
  });

  it('show values and defaults as they are written in the environment', () => {
    expect(setting('RTP_PORTS', { RTP_PORTS: '20000-20999' })).toMatchObject({
      isSet: true,
      value: '20000-20999',
      default: '20000-29999',
    });
    expect(setting('API_DOCS')).toMatchObject({ isSet: false, value: null, default: 'true' });
    expect(setting('LOG_LEVEL', { LOG_LEVEL: '' })).toMatchObject({ isSet: false, value: null, default: 'info' });
    expect(setting('RETENTION_DAYS')).toMatchObject({ default: null });
  });

  it('have the default model of the provider that is set', () => {
    expect(setting('DEFAULT_VOICE_NAME')).toMatchObject({ default: 'aura-2-thalia-en' });
    expect(setting('DEFAULT_VOICE_NAME', { DEFAULT_VOICE_PROVIDER: 'espeak' })).toMatchObject({ default: 'default' });
    expect(setting('DEFAULT_LLM_MODEL', { DEFAULT_LLM_PROVIDER: 'anthropic' })).toMatchObject({ default: null });
  });

  it('hold no secret of any variable', () => {
    const secret = 'Zq7-the-secret';
    const environment = Object.fromEntries(
      CONFIGURATION_VARIABLES.filter((name) => /(?:KEY|SECRET|URL)$/.test(name) && name !== 'SIP_TLS_KEY').map(
        (name) => [name, name.endsWith('_URL') ? `https://user:${secret}@host/path?token=${secret}#${secret}` : secret],
      ),
    );
    const all = settingsOf(environment);
    expect(JSON.stringify(all)).not.toContain(secret);
    expect(all.filter(({ isSet }) => isSet)).toHaveLength(Object.keys(environment).length);
    expect(setting('OPENAI_BASE_URL', environment)?.value).toBe('https://***@host/path?***');
    expect(setting('DATABASE_URL', environment)).toMatchObject({ isSecret: true, value: null });
  });
});
