export async function testCommand(_a: readonly string[], _b: NodeJS.ProcessEnv, _c: unknown): Promise<number> { return 2; }
