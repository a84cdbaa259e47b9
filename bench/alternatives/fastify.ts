/** The obvious implementation: Fastify, pg and simple SQL. Runs in its own process. */
import fastify from 'fastify';
import pg from 'pg';

interface Query {
  limit: string;
  offset: string;
}

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
const app = fastify();

app.get<{ Querystring: Query }>('/image/random', ({ query }) =>
  images('select document from image order by random() limit $1', [query.limit]),
);
app.get<{ Querystring: Query }>('/image', ({ query }) =>
  images('select document from image order by number limit $1 offset $2', [query.limit, query.offset]),
);
app.get<{ Params: { id: string } }>('/image/:id', async ({ params }, reply) => {
  const [image] = await images('select document from image where id = $1', [params.id]);
  return image ?? reply.code(404).send({ error: 'not found' });
});

async function images(text: string, values: string[]): Promise<object[]> {
  const { rows } = await pool.query<{ document: object }>(text, values);
  return rows.map(({ document }) => document);
}

console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.once('SIGTERM', () => process.exit(0));
