// Runs scripts/generate/main.ts.
process.argv.splice(2, 0, 'scripts/generate/main.ts');
await import('./run.js');
