import { shrinkAllowances } from './allowances.ts';

const grown = shrinkAllowances();
for (const line of grown) console.error(line);
if (grown.length > 0) process.exitCode = 1;
