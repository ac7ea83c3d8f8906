import { expect, it } from 'vitest';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/access/organization-repository.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { trunkRecord } from '../telephony/trunks/trunk-record.ts';
import { question } from './post-call-question.ts';
import { onEachDatabase, storeAgent } from './temporary-database.ts';

onEachDatabase((temporaryDatabase) => {
  it('a trunk is replaced only if it is unchanged since it was read, with and without optional fields', async () => {
    const { sipTrunks } = createRepositories(await temporaryDatabase());
    const bare = trunkRecord({ organizationId: DEFAULT_ORGANIZATION_ID });
    await sipTrunks.create(bare);
    const full = {
      ...bare,
      username: 'desk',
      passwordSealed: 'sealed:v1:x',
      codecs: ['pcma'],
      allowedAddresses: ['192.0.2.0/24'],
      priority: 1,
    } as const;
    expect(await sipTrunks.replace(bare, full)).toBe(true);
    expect(await sipTrunks.replace(bare, { ...bare, name: 'Late' })).toBe(false);
    expect(await sipTrunks.find(DEFAULT_ORGANIZATION_ID, bare.id)).toEqual(full);
    expect(await sipTrunks.replace(full, bare)).toBe(true);
    expect(await sipTrunks.replace({ ...bare, id: 'gone' }, bare)).toBe(false);
  });

  it('a question is replaced only if it is unchanged since it was read, with and without optional fields', async () => {
    const database = await temporaryDatabase();
    const { postCallQuestions } = createRepositories(database);
    const bare = question('selector', { agentId: await storeAgent(database) });
    await postCallQuestions.create([bare]);
    const full = { ...bare, model: 'gpt-5', examples: ['yes', 'no'], isOptional: true };
    expect(await postCallQuestions.replace(bare, full)).toBe(true);
    expect(await postCallQuestions.replace(bare, { ...bare, name: 'Late' })).toBe(false);
    expect(await postCallQuestions.find(bare.agentId, bare.id)).toEqual(full);
    expect(await postCallQuestions.replace(full, bare)).toBe(true);
  });
});
