import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import express from 'express';

/*
 * A pet service as in tutorials, with the defaults of Express and SQLite, without validation and versions.
 * Usage: node express-sqlite.js DATABASE PETS_FILE
 */

const [file, petsFile] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec(`create table if not exists pets (
  id integer primary key autoincrement,
  name text not null,
  category text,
  photo_urls text,
  tags text,
  status text
)`);

function insertPet(pet) {
  return db
    .prepare('insert into pets (name, category, photo_urls, tags, status) values (?, ?, ?, ?, ?)')
    .run(pet.name, JSON.stringify(pet.category), JSON.stringify(pet.photoUrls), JSON.stringify(pet.tags), pet.status);
}

function toPet(row) {
  return {
    id: row.id,
    category: JSON.parse(row.category),
    name: row.name,
    photoUrls: JSON.parse(row.photo_urls),
    tags: JSON.parse(row.tags),
    status: row.status,
  };
}

db.exec('begin');
for (const pet of JSON.parse(readFileSync(petsFile, 'utf8')).pet) insertPet(pet);
db.exec('commit');

const router = express.Router();

router.get('/pet/:id', (req, res) => {
  const row = db.prepare('select * from pets where id = ?').get(req.params.id);
  if (row) res.json(toPet(row));
  else res.status(404).json({ message: 'Pet not found' });
});

router.post('/pet', (req, res) => {
  const { lastInsertRowid } = insertPet(req.body);
  const row = db.prepare('select * from pets where id = ?').get(lastInsertRowid);
  res.status(201).json(toPet(row));
});

const app = express();
app.use(express.json());
app.use('/v2', router);

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`Express is at http://127.0.0.1:${server.address().port}`);
});
