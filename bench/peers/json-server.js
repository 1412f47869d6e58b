import { createRequire } from 'node:module';

/*
 * json-server 0.17 on a free port, without its log.
 * Usage: node json-server.js DB_FILE
 */

const jsonServer = createRequire(import.meta.url)('json-server');

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use('/v2', jsonServer.router(process.argv[2]));

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`json-server is at http://127.0.0.1:${server.address().port}`);
});
