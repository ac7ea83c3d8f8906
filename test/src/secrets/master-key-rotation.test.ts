import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { databaseSecrets } from '../../../src/secrets/master-key.ts';
import { MasterKeyRing } from '../../../src/secrets/master-key-ring.ts';
import {
  finishRotation,
  NODES_WAIT_MS,
  type RotationOptions,
  rotateMasterKey,
} from '../../../src/secrets/master-key-rotation.ts';
import { MasterKeyWatch } from '../../../src/secrets/master-key-watch.ts';
import { keyIdOf, SecretError, sealedKeyId } from '../../../src/secrets/secrets.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/access/organization-repository.ts';
import { createSealedValueRepository } from '../../../src/storage/access/sealed-value-repository.ts';
import type { Database } from '../../../src/storage/database/database.ts';
import { createRepositories, type Repositories } from '../../../src/storage/repositories.ts';
import { onEachDatabase, START_MS, storeAgent, testConfiguration } from '../storage/temporary-database.ts';
import { trunkRecord } from '../telephony/trunks/trunk-record.ts';

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const SECRET = 'correct horse battery staple';
/** More than are read at once. */
const ANSWERS = 230;
const LEASE_MS = 600_000;
const silent = { info: () => {}, warn: () => {} };

/** One secret of each kind, and many stored answers. Returns a reader of all of them in plain text. */
async function withSecrets(database: Database): Promise<() => Promise<readonly string[]>> {
  const repositories = createRepositories(database);
  const secrets = await secretsOf(OLD, repositories);
  await repositories.sipTrunks.create(
    trunkRecord({ organizationId: DEFAULT_ORGANIZATION_ID, passwordSealed: secrets.seal(SECRET, 'trunk_password') }),
  );
  const agentId = await storeAgent(database);
  await repositories.webhookSecrets.rotate(agentId, secrets.seal(SECRET, 'webhook_secret'), START_MS);
  const headers = [
    { name: 'x-one', value: secrets.seal(SECRET, 'secret_header'), secret: true },
    { name: 'x-two', value: secrets.seal(SECRET, 'secret_header'), secret: true },
    { name: 'x-plain', value: 'sealed:v2:no value of ours', secret: false },
  ];
  const states = [{ name: 'start', prompt: 'Say "sealed:v1:" to nobody.', tools: [{ headers }] }];
  await database.query
    .updateTable('agent_versions')
    .set({ configuration_json: JSON.stringify({ ...testConfiguration, states }) })
    .execute();
  await storeAgent(database);
  const rows = Array.from({ length: ANSWERS }, (_, index) => ({
    organization_id: DEFAULT_ORGANIZATION_ID,
    key: `key ${index}`,
    request_hash: '',
    created_ms: START_MS,
    answer_status: 200,
    answer_sealed: secrets.seal(SECRET, 'idempotent_answer'),
    call_id: null,
    node_id: null,
  }));
  await database.query.insertInto('idempotency_keys').values(rows).execute();
  return () => sealedValues(database);
}

async function sealedValues(database: Database): Promise<readonly string[]> {
  const { query } = database;
  const trunks = await query.selectFrom('sip_trunks').select('password_sealed').execute();
  const webhooks = await query.selectFrom('webhook_secrets').select('secret_sealed').execute();
  const answers = await query.selectFrom('idempotency_keys').select('answer_sealed').execute();
  const versions = await query.selectFrom('agent_versions').select('configuration_json').execute();
  return [
    ...trunks.map((row) => row.password_sealed ?? ''),
    ...webhooks.map((row) => row.secret_sealed),
    ...versions.flatMap((row) => row.configuration_json.match(/sealed:v2:[0-9a-f]{16}:[\w+/=]+/g) ?? []),
    ...answers.map((row) => row.answer_sealed ?? ''),
  ];
}

const VALUES = 4 + ANSWERS;

function secretsOf(masterKey: Uint8Array, repositories: Repositories): Promise<MasterKeyRing> {
  return databaseSecrets({ masterKey, dataDir: '/nowhere' }, repositories);
}

/** The number of values that these keys open to the secret. */
function opened(keyring: MasterKeyRing, values: readonly string[]): number {
  const purposes = ['trunk_password', 'webhook_secret', 'secret_header', 'idempotent_answer'] as const;
  const opens = (value: string) =>
    purposes.some((purpose) => keyring.keyIdFor(value, purpose) !== null && keyring.open(value, purpose) === SECRET);
  return values.filter(opens).length;
}

/** The dependencies of a command that was started with this key. */
async function command(
  masterKey: Uint8Array,
  database: Database,
  repositories: Repositories,
): Promise<RotationOptions> {
  return {
    keyring: await secretsOf(masterKey, repositories),
    repositories,
    values: createSealedValueRepository(database),
    runningNodes: () => repositories.nodes.alive(),
    sleep: async () => {},
  };
}

/** A running node that was started with this key. */
async function node(nodeId: string, masterKey: Uint8Array, repositories: Repositories) {
  await repositories.nodes.renew(nodeId, LEASE_MS);
  const keyring = await secretsOf(masterKey, repositories);
  const watch = watchOf(keyring, nodeId, repositories);
  return { keyring, look: () => watch.look() };
}

function watchOf(keyring: MasterKeyRing, nodeId: string, repositories: Repositories): MasterKeyWatch {
  return new MasterKeyWatch({ keyring, nodeId, repositories, clock: { after: () => () => {} }, log: silent });
}

onEachDatabase((temporaryDatabase) => {
  it('seals every stored secret with the new key, and readies two running nodes before it', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const values = await withSecrets(database);
    const [one, two] = [await node('one', OLD, repositories), await node('two', OLD, repositories)];
    const options = await command(OLD, database, repositories);
    let looks = 0;
    const sleep = async () => {
      // Nothing is sealed with the new key while a node does not know it.
      expect(new Set((await values()).map(sealedKeyId))).toEqual(new Set([keyIdOf(OLD)]));
      await (looks++ === 0 ? one : two).look();
    };
    expect(await rotateMasterKey({ ...options, sleep }, NEW)).toEqual({ resealed: 3 + ANSWERS, unreadable: 0 });
    expect(looks).toBe(2);
    expect(new Set((await values()).map(sealedKeyId))).toEqual(new Set([keyIdOf(NEW)]));
    for (const { keyring, look } of [one, two]) {
      expect(opened(keyring, await values())).toBe(VALUES);
      await look();
      expect(keyring.currentId).toBe(keyIdOf(NEW));
    }
    for (const key of [OLD, NEW]) expect(opened(await secretsOf(key, repositories), await values())).toBe(VALUES);
  });

  it('is finished only with the new key everywhere; the old one then starts nothing', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const values = await withSecrets(database);
    await rotateMasterKey(await command(OLD, database, repositories), NEW);
    const late = await node('late', OLD, repositories);
    await repositories.sipTrunks.create(
      trunkRecord({
        id: 'late',
        organizationId: DEFAULT_ORGANIZATION_ID,
        // By a node that had not looked since the proof changed.
        passwordSealed: new MasterKeyRing(OLD).seal(SECRET, 'trunk_password'),
      }),
    );
    await expect(finishRotation(await command(OLD, database, repositories))).rejects.toThrow(/name the old key/);
    await late.look();
    await expect(finishRotation(await command(NEW, database, repositories))).rejects.toThrow(
      /late was started with the old key/,
    );
    const restarted = await node('late', NEW, repositories);
    await restarted.look();
    expect(await finishRotation(await command(NEW, database, repositories))).toEqual({ resealed: 1, unreadable: 0 });
    await expect(secretsOf(OLD, repositories)).rejects.toThrow(SecretError);
    expect(opened(await secretsOf(NEW, repositories), await values())).toBe(VALUES + 1);
    expect(await repositories.masterKeys.keys()).toEqual([]);
    await expect(finishRotation(await command(NEW, database, repositories))).rejects.toThrow(/no rotation/);
  });

  it('ends the old key for a running node at its next look, also for signatures; not for a node that was started with it', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const values = await withSecrets(database);
    await rotateMasterKey(await command(OLD, database, repositories), NEW);
    const restarted = await node('restarted', NEW, repositories);
    await restarted.look();
    const signed = new MasterKeyRing(OLD).sign('recording 1');
    expect(restarted.keyring.isSignature('recording 1', signed)).toBe(true);
    await finishRotation(await command(NEW, database, repositories));
    const late = new MasterKeyRing(OLD);
    late.sealWith(late.add(NEW));
    await restarted.look();
    await watchOf(late, 'late', repositories).look();
    expect(restarted.keyring.isSignature('recording 1', signed)).toBe(false);
    expect(restarted.keyring.isSignature('recording 1', new MasterKeyRing(NEW).sign('recording 1'))).toBe(true);
    for (const keyring of [restarted.keyring, late]) expect(opened(keyring, await values())).toBe(VALUES);
  });

  it('continues after an interruption at any write, and both keys open everything in between', async () => {
    let writes = 0;
    for (let stopAt = 1; ; stopAt++) {
      const database = await temporaryDatabase();
      const repositories = createRepositories(database);
      const values = await withSecrets(database);
      writes = 0;
      const interrupted = dying(database, () => ++writes === stopAt);
      const options = await command(OLD, interrupted, createRepositories(interrupted));
      writes = 0;
      const isOver = await rotateMasterKey(options, NEW).then(
        () => true,
        (error: Error) => error.message !== 'killed',
      );
      for (const key of (await repositories.masterKeys.keys()).length > 0 ? [OLD, NEW] : [OLD]) {
        expect(opened(await secretsOf(key, repositories), await values()), `write ${stopAt}`).toBe(VALUES);
      }
      if (isOver) break;
      await rotateMasterKey(await command(OLD, database, repositories), NEW);
      expect(new Set((await values()).map(sealedKeyId))).toEqual(new Set([keyIdOf(NEW)]));
    }
    // The keys, the proof, and the values in batches.
    expect(writes).toBeGreaterThan(6);
  });

  it('refuses another new key while one rotation is unfinished, and times out if a node does not look', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    const values = await withSecrets(database);
    await node('asleep', OLD, repositories);
    let sleptMs = 0;
    const options = await command(OLD, database, repositories);
    const sleep = async (ms: number) => {
      sleptMs += ms;
    };
    await expect(rotateMasterKey({ ...options, sleep }, NEW)).rejects.toThrow(
      /service asleep has not read the new key/,
    );
    expect(sleptMs).toBe(NODES_WAIT_MS);
    expect(new Set((await values()).map(sealedKeyId))).toEqual(new Set([keyIdOf(OLD)]));
    const other = rotateMasterKey(await command(OLD, database, repositories), randomBytes(32));
    await expect(other).rejects.toThrow(/rotation to another key is not finished/);
  });

  it('leaves a value that no key opens, and one that the service changes in between', async () => {
    const database = await temporaryDatabase();
    const repositories = createRepositories(database);
    await withSecrets(database);
    const lost = new MasterKeyRing(randomBytes(32)).seal(SECRET, 'trunk_password');
    await database.query.updateTable('sip_trunks').set({ password_sealed: lost }).execute();
    expect(await rotateMasterKey(await command(OLD, database, repositories), NEW)).toMatchObject({ unreadable: 1 });
    const [trunk] = await repositories.sipTrunks.all(DEFAULT_ORGANIZATION_ID);
    expect(trunk?.passwordSealed).toBe(lost);
    const changed = database.query.updateTable('sip_trunks').set({ password_sealed: 'sealed: by the service' });
    const racing = {
      ...database,
      atomically: async (steps: Parameters<Database['atomically']>[0]) => {
        await changed.execute();
        return database.atomically(steps);
      },
    };
    await createSealedValueRepository(racing).rewrite((_, place) => (place === 'trunk_password' ? 'replaced' : null));
    const [after] = await repositories.sipTrunks.all(DEFAULT_ORGANIZATION_ID);
    expect(after?.passwordSealed).toBe('sealed: by the service');
  });
});

it('accepts links that were signed before the rotation, and signs new ones with the new key', () => {
  const before = new MasterKeyRing(OLD).sign('recording 1');
  const keyring = new MasterKeyRing(OLD);
  keyring.sealWith(keyring.add(NEW));
  expect(keyring.isSignature('recording 1', before)).toBe(true);
  expect(keyring.sign('recording 1')).toBe(new MasterKeyRing(NEW).sign('recording 1'));
  expect(keyring.isSignature('recording 2', before)).toBe(false);
});

it('opens values of the first releases, which name no key', () => {
  const keyring = new MasterKeyRing(OLD);
  keyring.add(NEW);
  const unnamed = (key: Uint8Array) => new MasterKeyRing(key).seal(SECRET, 'secret_header').replace(/v2:\w{16}/, 'v1');
  expect(keyring.open(unnamed(OLD), 'secret_header')).toBe(SECRET);
  expect(keyring.open(unnamed(NEW), 'secret_header')).toBe(SECRET);
  expect(() => keyring.open(unnamed(randomBytes(32)), 'secret_header')).toThrow(SecretError);
});

/** A database whose writes reject from the one on for which `dies` is true. */
function dying(database: Database, dies: () => boolean): Database {
  let isDead = false;
  const attempt = <T>(write: () => Promise<T>): Promise<T> => {
    isDead ||= dies();
    return isDead ? Promise.reject(new Error('killed')) : write();
  };
  return {
    ...database,
    query: database.query.withPlugin({
      transformQuery: ({ node: query }) => {
        if (query.kind !== 'SelectQueryNode' && query.kind !== 'RawNode') isDead ||= dies();
        if (isDead) throw new Error('killed');
        return query;
      },
      transformResult: async ({ result }) => result,
    }),
    atomically: (steps) => attempt(() => database.atomically(steps)),
  };
}
