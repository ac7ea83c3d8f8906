import { z } from 'zod';
import { PROVIDER_VARIABLES } from '../../adapters/registry/provider-variables.ts';
import type { Environment } from './configuration.ts';
import { DEFAULT_LLM_MODELS, DEFAULT_TRANSCRIBER_MODELS, DEFAULT_VOICE_NAMES } from './provider-defaults.ts';
import {
  NAMED_PROVIDER_TEXTS,
  PROVIDER_TEXTS,
  SETTING_GROUPS,
  SETTING_TEXTS,
  type SettingGroup,
} from './setting-texts.ts';
import { PROVIDER_KINDS, SECRETS, VARIABLES, type VariableName } from './variables.ts';

/** A setting as it is shown: no secret, and no URL with credentials, leaves the service. */
export interface Setting {
  readonly variable: string;
  readonly group: SettingGroup;
  /** Its effect. */
  readonly text: string;
  /** The values that it takes. */
  readonly expected: string;
  /** Null: none, or it depends on other settings. */
  readonly default: string | null;
  readonly isSecret: boolean;
  readonly isSet: boolean;
  /** Null: not set, or a secret. */
  readonly value: string | null;
}

interface DefaultsOfProvider {
  /** The variable that names the provider. */
  readonly provider: VariableName;
  readonly defaults: ReadonlyMap<string, string>;
}

/** Stands for the credentials in a URL. */
const HIDDEN = '***';

/** The defaults that depend on the provider. */
const BY_PROVIDER: Readonly<Partial<Record<VariableName, DefaultsOfProvider>>> = {
  DEFAULT_LLM_MODEL: { provider: 'DEFAULT_LLM_PROVIDER', defaults: DEFAULT_LLM_MODELS },
  DEFAULT_VOICE_NAME: { provider: 'DEFAULT_VOICE_PROVIDER', defaults: DEFAULT_VOICE_NAMES },
  DEFAULT_TRANSCRIBER_MODEL: { provider: 'DEFAULT_TRANSCRIBER_PROVIDER', defaults: DEFAULT_TRANSCRIBER_MODELS },
};

/** All settings of a service with this environment, by group. */
export function settingsOf(environment: Environment): readonly Setting[] {
  const names = Object.keys(VARIABLES).filter((name): name is VariableName => name in VARIABLES);
  const own = names.map((name): Setting => {
    const [group, text] = SETTING_TEXTS[name];
    const fixed = { variable: name, group, text, expected: VARIABLES[name][1], default: defaultOf(name, environment) };
    return { ...fixed, ...shownValue(name, environment[name], isSecretName(name)) };
  });
  const ofProviders = PROVIDER_VARIABLES.map(({ kind, name }): Setting => {
    const text = NAMED_PROVIDER_TEXTS.get(name) ?? PROVIDER_TEXTS[kind];
    const fixed = {
      variable: name,
      group: 'providers',
      text,
      expected: PROVIDER_KINDS[kind][1],
      default: null,
    } as const;
    return { ...fixed, ...shownValue(name, environment[name], kind === 'key') };
  });
  const all = [...own, ...ofProviders];
  return SETTING_GROUPS.flatMap((group) => all.filter((setting) => setting.group === group));
}

/** `PUBLIC_URL` is shown without its credentials. */
function isSecretName(name: VariableName): boolean {
  return SECRETS.includes(name) && name !== 'PUBLIC_URL';
}

function shownValue(name: string, given: string | undefined, isSecret: boolean) {
  const isSet = (given ?? '') !== '';
  if (!isSet || isSecret) return { isSecret, isSet, value: null };
  return { isSecret, isSet, value: name.endsWith('_URL') ? withoutCredentials(given ?? '') : (given ?? '') };
}

/** User, password and query may be secret. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return HIDDEN;
  const { hash, host, password, pathname, protocol, search, username } = new URL(url);
  const user = username === '' && password === '' ? '' : `${HIDDEN}@`;
  return `${protocol}//${user}${host}${pathname}${search === '' && hash === '' ? '' : `?${HIDDEN}`}`;
}

function defaultOf(name: VariableName, environment: Environment): string | null {
  const byProvider = BY_PROVIDER[name];
  if (byProvider !== undefined) {
    const { defaults, provider } = byProvider;
    return defaults.get(environment[provider] || (defaultOf(provider, environment) ?? '')) ?? null;
  }
  const [schema] = VARIABLES[name];
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return null;
  const value = String(schema.def.defaultValue);
  return value === '' ? null : value;
}
