//! Seals as rows.

use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, Row};

use super::NewSeal;
use crate::seal::{Acceptance, Check, Class, Member, Object, Seal, SealId, Standing, Tier};
use crate::sys::clock;

const COLUMNS: &str = "seal.*, name, argv, cwd FROM seal LEFT JOIN acceptance ON \
    acceptance.id = acceptance";

/// Writes a seal; the one before of the same path and class has ended.
pub(super) fn put(ledger: &Connection, new: &NewSeal, by: Option<i64>) -> Result<SealId> {
    ledger.execute(
        "UPDATE seal SET standing = 'ended' WHERE path = ?1 AND class = ?2 AND standing <> 'ended'",
        (new.path.as_slice(), new.class.name()),
    )?;
    let own = columns(&new.object);
    let sql = "INSERT INTO seal (path, target, class, tier, object, digest, size, mode, \
        modified_ns, files, link, device, inode, reason, alternative, at_ms, session, standing, acceptance) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, 'live', ?18)";
    ledger.execute(
        sql,
        rusqlite::params![
            new.path.as_slice(),
            new.target.as_ref().map(|t| t.as_slice()),
            new.class.name(),
            new.tier.name(),
            own.kind,
            own.digest,
            own.size,
            own.mode,
            own.modified,
            own.files,
            own.link,
            new.inode.0.to_le_bytes(),
            new.inode.1.to_le_bytes(),
            new.reason,
            new.alternative,
            i64::try_from(clock::now_ms()).unwrap_or(i64::MAX),
            new.session,
            by,
        ],
    )?;
    let id = ledger.last_insert_rowid();
    let mut insert = ledger.prepare(
        "INSERT INTO member (seal, path, object, digest, size, mode, modified_ns, link, device, \
         inode) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for member in &new.members {
        let own = columns(&member.object);
        insert.execute(rusqlite::params![
            id,
            member.path.as_slice(),
            own.kind,
            own.digest,
            own.size,
            own.mode,
            own.modified,
            own.link,
            member.inode.0.to_le_bytes(),
            member.inode.1.to_le_bytes(),
        ])?;
    }
    Ok(SealId(u64::try_from(id).unwrap_or_default()))
}

/// Writes a check that passed; gives its number.
pub(super) fn accept(
    ledger: &Connection,
    by: &Acceptance,
    environment: [u8; 32],
    session: &str,
) -> Result<i64> {
    ledger.execute(
        "INSERT INTO acceptance (name, argv, executable, executable_digest, cwd, environment, at_ms, \
         duration_ms, status, session) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)",
        rusqlite::params![
            by.check.name,
            by.check.command,
            by.executable.0.as_slice(),
            by.executable.1,
            by.check.cwd.as_slice(),
            environment,
            i64::try_from(by.at_ms).unwrap_or(i64::MAX),
            i64::try_from(by.duration_ms).unwrap_or(i64::MAX),
            session,
        ],
    )?;
    Ok(ledger.last_insert_rowid())
}

/// The numbers of checks that passed and were this very one.
pub(super) fn same(
    ledger: &Connection,
    check: &Acceptance,
    environment: [u8; 32],
) -> Result<Vec<i64>> {
    let sql = "SELECT id FROM acceptance WHERE argv = ?1 AND cwd = ?2 AND executable = ?3 AND \
        executable_digest = ?4 AND environment = ?5";
    let (path, digest) = &check.executable;
    let wanted =
        (&check.check.command, check.check.cwd.as_slice(), path.as_slice(), digest, environment);
    ledger.prepare(sql)?.query_map(wanted, |row| row.get(0))?.collect()
}

/// An object as columns.
struct Columns<'a> {
    kind: &'static str,
    digest: Option<&'a [u8]>,
    size: Option<i64>,
    mode: Option<u32>,
    modified: Option<i64>,
    files: Option<i64>,
    link: Option<&'a [u8]>,
}

fn columns(object: &Object) -> Columns<'_> {
    let none = Columns {
        kind: "link",
        digest: None,
        size: None,
        mode: None,
        modified: None,
        files: None,
        link: None,
    };
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    match object {
        Object::File { digest, size, mode, modified_ns } => Columns {
            kind: "file",
            digest: Some(digest),
            size: Some(number(*size)),
            mode: Some(*mode),
            modified: Some(*modified_ns),
            ..none
        },
        Object::Tree { digest, files } => {
            Columns { kind: "tree", digest: Some(digest), files: Some(number(*files)), ..none }
        }
        Object::Link { to } => Columns { link: Some(to), ..none },
    }
}

/// Files and links of a sealed directory, by name.
pub(super) fn members(ledger: &Connection, id: SealId) -> Result<Vec<Member>> {
    let sql = "SELECT path, object, digest, size, mode, modified_ns, NULL AS files, link, device, \
        inode FROM member WHERE seal = ?1 ORDER BY path";
    let mut query = ledger.prepare_cached(sql)?;
    let member = |row: &Row<'_>| {
        Ok(Member {
            path: row.get::<_, Vec<u8>>("path")?.into(),
            object: object(row)?,
            inode: (eight(row, "device")?, eight(row, "inode")?),
        })
    };
    query.query_map((i64::try_from(id.0).unwrap_or_default(),), member)?.collect()
}

/// Gives a seal that has not ended this standing; says how many there were of it.
pub(super) fn stand(ledger: &Connection, id: SealId, standing: Standing) -> Result<usize> {
    ledger.execute(
        "UPDATE seal SET standing = ?2 WHERE id = ?1 AND standing <> 'ended'",
        (i64::try_from(id.0).unwrap_or_default(), standing.name()),
    )
}

/// Writes down that a reason was given; `false` where the session has given it before.
pub(super) fn spend(ledger: &Connection, session: &str, reason: &str) -> Result<bool> {
    let now = i64::try_from(clock::now_ms()).unwrap_or(i64::MAX);
    let sql = "INSERT OR IGNORE INTO override (session, reason, at_ms) VALUES (?1, ?2, ?3)";
    Ok(ledger.execute(sql, (session, reason, now))? == 1)
}

/// All that have not ended, by path.
pub(super) fn standing(ledger: &Connection) -> Result<Vec<Seal>> {
    let sql = format!("SELECT {COLUMNS} WHERE standing <> 'ended' ORDER BY path, seal.id");
    let mut query = ledger.prepare(&sql)?;
    query.query_map((), seal)?.collect()
}

/// One that has not ended.
pub(super) fn one(ledger: &Connection, id: SealId) -> Result<Option<Seal>> {
    let sql = format!("SELECT {COLUMNS} WHERE seal.id = ?1 AND standing <> 'ended'");
    let id = i64::try_from(id.0).unwrap_or_default();
    ledger.query_row(&sql, (id,), seal).optional()
}

/// Those below a directory that have not ended.
pub(super) fn below(ledger: &Connection, directory: &[u8]) -> Result<Vec<Seal>> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE path > ?1 AND path < ?2 AND standing <> 'ended' \
         ORDER BY path, seal.id"
    );
    let directory = directory.strip_suffix(b"/").unwrap_or(directory);
    // What follows `/` in ASCII is `0`.
    let (from, to) = ([directory, b"/"].concat(), [directory, b"0"].concat());
    ledger.prepare(&sql)?.query_map((from, to), seal)?.collect()
}

fn seal(row: &Row<'_>) -> Result<Seal> {
    let blob = |name: &str| row.get::<_, Option<Vec<u8>>>(name);
    let word = |name: &str| row.get::<_, String>(name);
    let check = |name| {
        let cwd = blob("cwd")?.unwrap_or_default().into();
        Ok::<_, Error>(Check { id: row.get("acceptance")?, name, command: word("argv")?, cwd })
    };
    Ok(Seal {
        id: SealId(number(row, "id")?),
        path: blob("path")?.unwrap_or_default().into(),
        target: blob("target")?.map(Into::into),
        class: Class::of_name(&word("class")?).ok_or_else(|| bad("class"))?,
        tier: Tier::of_name(&word("tier")?).ok_or_else(|| bad("tier"))?,
        object: object(row)?,
        inode: (eight(row, "device")?, eight(row, "inode")?),
        reason: row.get("reason")?,
        alternative: row.get("alternative")?,
        at_ms: number(row, "at_ms")?,
        session: word("session")?,
        standing: Standing::of_name(&word("standing")?).ok_or_else(|| bad("standing"))?,
        check: row.get::<_, Option<String>>("name")?.map(check).transpose()?,
        origin: None,
    })
}

fn object(row: &Row<'_>) -> Result<Object> {
    let blob = |name: &str| row.get::<_, Option<Vec<u8>>>(name);
    let digest = || blob("digest")?.and_then(|d| d.try_into().ok()).ok_or_else(|| bad("digest"));
    Ok(match row.get::<_, String>("object")?.as_str() {
        "file" => Object::File {
            digest: digest()?,
            size: number(row, "size")?,
            mode: u32::try_from(number(row, "mode")?).map_err(|_| bad("mode"))?,
            modified_ns: row.get("modified_ns")?,
        },
        "tree" => Object::Tree { digest: digest()?, files: number(row, "files")? },
        "link" => Object::Link { to: blob("link")?.unwrap_or_default().into() },
        _ => return Err(bad("object")),
    })
}

fn number(row: &Row<'_>, column: &str) -> Result<u64> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|_| bad(column))
}

/// Device and inode numbers take all 64 bits.
fn eight(row: &Row<'_>, column: &str) -> Result<u64> {
    let bytes = row.get::<_, Vec<u8>>(column)?.try_into().map_err(|_| bad(column))?;
    Ok(u64::from_le_bytes(bytes))
}

fn bad(column: &str) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, format!("column `{column}`").into())
}
