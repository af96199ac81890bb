// Makes the one server a replica set, which `w: majority` needs, and the user of the apps; repeated, it changes nothing.
// Run by mongosh as the root user, whose password and the apps' come by the environment.
const { MONGODB_PASSWORD } = process.env;
const DATABASE = "rubrica";
const POLL_MS = 500;

const isInitiated = () => {
  try {
    return rs.status().ok === 1;
  } catch (error) {
    if (error.codeName === "NotYetInitialized") return false;
    throw error;
  }
};

if (!isInitiated()) rs.initiate({ _id: "rs0", members: [{ _id: 0, host: "mongodb:27017" }] });
while (!db.hello().isWritablePrimary) sleep(POLL_MS);

const rubrica = db.getSiblingDB(DATABASE);
const roles = [{ role: "readWrite", db: DATABASE }];
if (rubrica.getUser(DATABASE) === null) rubrica.createUser({ user: DATABASE, pwd: MONGODB_PASSWORD, roles });
else rubrica.updateUser(DATABASE, { pwd: MONGODB_PASSWORD, roles });
