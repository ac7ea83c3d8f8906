import { parseArgs } from 'node:util';
import { loadConfiguration } from '../../configuration/configuration.ts';
import { API_KEY_NAME_LENGTH_MAX, createApiKey, isApiKeyName } from '../../secrets/api-key.ts';
import {
  type ApiKeyListing,
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
  ENVIRONMENT_KEY_NAME,
  type OrganizationRepository,
  SCOPES,
  type Scope,
} from '../../storage/access/organization-repository.ts';
import { openDatabaseBeside } from '../../storage/database/database.ts';
import { type CommandOutput, runCommand } from './command-run.ts';

const USAGE = `trunkline keys create [--name NAME] [--scopes read,write,admin] [--organization ID|NAME | --new-organization NAME]
trunkline keys list
trunkline keys revoke ID|PREFIX

  Default scopes: read,write. The scope admin also allows packet captures. A key is shown once and stored as a hash.
`;
const DEFAULT_NAME = 'command line';
const DEFAULT_SCOPES = 'read,write';
/** Shorter prefixes match too many keys. */
const PREFIX_LENGTH_MIN = 6;

type Organizations = Pick<
  OrganizationRepository,
  'addKey' | 'addOrganization' | 'ensureDefault' | 'findKey' | 'findOrganizations' | 'listKeys' | 'revokeKey'
>;

/**
 * `trunkline keys create|list|revoke` on the database of the service. The service may be running: changes apply from its next request
 * on. Resolves to the exit status: 0 done, 1 failed, 2 wrong usage.
 */
export function keysCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: CommandOutput,
): Promise<number> {
  return runCommand(args, USAGE, output, () => {
    const action = actionOf(args);
    return async () => {
      const database = await openDatabaseBeside(loadConfiguration(environment));
      try {
        const organizations = createOrganizationRepository(database);
        await organizations.ensureDefault(Date.now());
        return await action(organizations);
      } finally {
        await database.close();
      }
    };
  });
}

/** Resolves to the output of the command. */
type KeyAction = (organizations: Organizations) => Promise<string>;

/** @throws {Error} for wrong usage */
function actionOf([verb, ...rest]: readonly string[]): KeyAction {
  switch (verb) {
    case 'create':
      return creation(rest);
    case 'list':
      if (rest.length > 0) throw new Error(`keys list: unexpected arguments: ${rest.join(' ')}`);
      return list;
    case 'revoke': {
      const [which, ...more] = rest;
      if (which === undefined || more.length > 0) throw new Error('keys revoke: expected one id or prefix');
      return (organizations) => revoke(organizations, which);
    }
    case undefined:
      throw new Error('keys: expected create, list or revoke');
    default:
      throw new Error(`keys: unknown command: ${verb}`);
  }
}

const CREATE_OPTIONS = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  organization: { type: 'string' },
  'new-organization': { type: 'string' },
} as const;

function creation(args: readonly string[]): KeyAction {
  const { values } = parseArgs({ args: [...args], options: CREATE_OPTIONS });
  const { name = DEFAULT_NAME, organization, 'new-organization': newOrganization } = values;
  const scopes = scopesOf(values.scopes ?? DEFAULT_SCOPES);
  if (scopes === null) {
    throw new Error(`--scopes ${values.scopes}: expected a comma-separated subset of ${SCOPES.join(',')}`);
  }
  if (organization !== undefined && newOrganization !== undefined) {
    throw new Error('use either --organization or --new-organization');
  }
  for (const given of [name, newOrganization ?? DEFAULT_NAME]) {
    if (!isApiKeyName(given)) {
      throw new Error(`--name: expected 1 to ${API_KEY_NAME_LENGTH_MAX} characters, but not ${ENVIRONMENT_KEY_NAME}`);
    }
  }
  return async (organizations) => {
    const organizationId =
      newOrganization === undefined
        ? await existing(organizations, organization ?? DEFAULT_ORGANIZATION_ID)
        : (await organizations.addOrganization(newOrganization, Date.now())).id;
    return create(organizations, { organizationId, name, scopes });
  };
}

async function create(
  organizations: Organizations,
  newKey: { readonly organizationId: string; readonly name: string; readonly scopes: readonly Scope[] },
): Promise<string> {
  const { key, record } = await createApiKey(organizations, { ...newKey, nowMs: Date.now() });
  return (
    `API key, shown only once: ${key}\n` +
    `id ${record.id}, organization ${record.organizationId}, scopes ${record.scopes.join(',')}\n`
  );
}

/** @throws {Error} if the name matches no or several organizations */
async function existing(organizations: Organizations, idOrName: string): Promise<string> {
  const [found, ...more] = await organizations.findOrganizations(idOrName);
  if (found === undefined) {
    throw new Error(`organization not found: ${idOrName}. Create it with --new-organization NAME`);
  }
  if (more.length > 0) {
    const ids = [found, ...more].map(({ id }) => id).join(', ');
    throw new Error(`several organizations are named ${idOrName}: use an id (${ids})`);
  }
  return found.id;
}

async function list(organizations: Organizations): Promise<string> {
  const keys = await organizations.listKeys();
  const rows = keys.map((key) => [
    key.id,
    key.prefix === '' ? '-' : `${key.prefix}…`,
    key.scopes.join(','),
    key.organizationId,
    new Date(key.createdMs).toISOString(),
    key.revokedMs === null ? 'active' : `revoked ${new Date(key.revokedMs).toISOString()}`,
    key.name,
  ]);
  const table = [['ID', 'KEY', 'SCOPES', 'ORGANIZATION', 'CREATED', 'STATE', 'NAME'], ...rows];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** @throws {Error} if the prefix matches no or several active keys */
async function revoke(organizations: Organizations, which: string): Promise<string> {
  const matching = (await organizations.listKeys()).filter((key) => isMeant(key, which));
  const active = matching.filter(({ revokedMs }) => revokedMs === null);
  const [key, ...more] = active;
  if (key === undefined) {
    throw new Error(matching.length > 0 ? `${which} is already revoked` : `key not found: ${which}`);
  }
  if (more.length > 0) {
    throw new Error(`several keys begin with ${which}: ${active.map(({ id }) => id).join(', ')}`);
  }
  await organizations.revokeKey(key.id, Date.now());
  const again =
    key.name === ENVIRONMENT_KEY_NAME
      ? `The key comes from ${ENVIRONMENT_KEY_NAME}: remove that variable, or the next start adds the key again.\n`
      : '';
  return `Revoked ${key.id} (${key.name}); requests with this key are refused from now on.\n${again}`;
}

function isMeant({ id, prefix }: ApiKeyListing, which: string): boolean {
  if (id === which) return true;
  if (which.length < PREFIX_LENGTH_MIN) return false;
  // A full key or any prefix of it is accepted, too.
  return prefix !== '' && (prefix.startsWith(which) || which.startsWith(prefix));
}

function scopesOf(text: string): readonly Scope[] | null {
  const names = text.split(',').map((name) => name.trim());
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  return names.length > 0 && names.every((name) => SCOPES.some((scope) => scope === name)) ? scopes : null;
}
