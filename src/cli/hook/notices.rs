//! What is still to be told when a tool call or a sub-agent has ended.

use std::ffi::OsString;

use super::call::{context, void};
use crate::cli::in_force;
use crate::hook::Request;
use crate::refuse::{self, Asker};
use crate::render::hooked::{self, OfAgent};
use crate::sys::evidence::{self, Filter, Kind, Row};
use crate::sys::sources;

/// Refusals of this session whose text went where nobody reads; and what its sub-agents were
/// refused, to who has started them.
pub fn unread(request: &Request, asker: &Asker) -> String {
    let Ok(context) = context(request, &OsString::new()) else { return String::new() };
    void(&context, request, asker);
    let Some(state) = context.state() else { return String::new() };
    let session = refuse::session_of(&context, asker);
    let pending = evidence::pending(state, Some(&session)).unwrap_or_default();
    let is_of_sub_agent = |row: &Row| row.kind == Kind::Notice && asker.agent.is_none();
    let (notices, others): (Vec<Row>, Vec<Row>) = pending.into_iter().partition(is_of_sub_agent);
    let refused: Vec<Row> = others.into_iter().filter(is_refusal).collect();
    let told = refused.iter().chain(&notices);
    let ids: Vec<_> = told.map(|row| row.id.clone()).collect();
    // A mark that cannot be made: the notice comes once more.
    let _ = evidence::mark_told(state, &ids);
    let mut text = String::new();
    if !refused.is_empty() {
        text += &hooked::unread(&refused);
    }
    if !notices.is_empty() {
        let filter = Filter { session: Some(session), ..Filter::default() };
        let rows = evidence::rows(state, &filter).unwrap_or_default();
        let of_agents = notices.iter().map(|notice| OfAgent {
            agent: agent(notice),
            rule: &notice.rule,
            times: before(&rows, notice).count(),
            row: notice,
        });
        text += &hooked::of_sub_agents(&of_agents.collect::<Vec<_>>());
    }
    text
}

/// What its user reads where one of these tool calls was an offence that ends the turn.
pub fn second_offence(request: &Request, asker: &Asker, calls: &[String]) -> Option<String> {
    /// More than a turn has.
    const NEWEST: u32 = 64;
    let context = context(request, &OsString::new()).ok()?;
    void(&context, request, asker);
    let session = Some(refuse::session_of(&context, asker));
    let filter = Filter { session, limit: Some(NEWEST), ..Filter::default() };
    let rows = evidence::rows(context.state()?, &filter).ok()?;
    let calls: Vec<Option<String>> = calls
        .iter()
        .map(|call| Asker { call: Some(call.clone()), ..asker.clone() }.known_call())
        .collect();
    let is_of_turn = |row: &&Row| row.kind == Kind::Refused && calls.contains(&row.call);
    let worst = rows.iter().filter(is_of_turn).max_by_key(|row| row.offence)?;
    // The first teaches.
    let contents = in_force::contents(&context, &sources::find(&context, &[])).ok()?;
    let from = contents.policy.settings.surface_after.max(2);
    (worst.offence >= from).then(|| hooked::stopped_by(worst))
}

/// What a sub-agent that has ended was refused, once for each rule: for the user now, and left for who
/// has started it.
pub fn of_ended_agent(request: &Request, asker: &Asker) -> String {
    let Ok(context) = context(request, &OsString::new()) else { return String::new() };
    void(&context, request, asker);
    let (Some(state), Some(id)) = (context.state(), &asker.agent) else { return String::new() };
    let session = Some(refuse::session_of(&context, asker));
    let rows = evidence::rows(state, &Filter { session, ..Filter::default() }).unwrap_or_default();
    let own = Some(asker.name());
    let told = rows.iter().rfind(|row| row.kind == Kind::Notice && row.agent == own);
    let told = told.map_or(0, |row| row.seq);
    let mut found: Vec<OfAgent<'_>> = Vec::new();
    for row in refused(&rows).filter(|row| row.agent == own && row.seq > told) {
        match found.iter_mut().find(|it| it.rule == row.rule) {
            Some(it) => (it.times, it.row) = (it.times + 1, row),
            None => found.push(OfAgent { agent: id, rule: &row.rule, times: 1, row }),
        }
    }
    found.iter().for_each(|it| refuse::record_notice(&context, asker, it.row));
    if found.is_empty() { String::new() } else { hooked::of_ended_agent(&found) }
}

/// Refusals, without what a person then has allowed.
pub fn refused(rows: &[Row]) -> impl Iterator<Item = &Row> {
    let is_allowed = |row: &Row| {
        let of_it = |it: &&Row| it.rule == row.rule && it.call == row.call;
        row.kind == Kind::Asked
            && rows.iter().filter(|r| r.kind == Kind::Allowed).any(|r| of_it(&r))
    };
    rows.iter().filter(move |row| is_refusal(row) && !is_allowed(row))
}

fn is_refusal(row: &Row) -> bool {
    row.kind.is_refusal()
}

/// The refusals that a notice is about.
fn before<'r>(rows: &'r [Row], notice: &'r Row) -> impl Iterator<Item = &'r Row> {
    let is_same = |row: &&Row| row.agent == notice.agent && row.seq < notice.seq;
    let earlier = rows
        .iter()
        .filter(is_same)
        .rfind(|row| row.kind == Kind::Notice && row.rule == notice.rule);
    let from = earlier.map_or(0, |row| row.seq);
    refused(rows).filter(move |row| is_same(row) && row.rule == notice.rule && row.seq > from)
}

/// Its own id.
fn agent(row: &Row) -> &str {
    let name = row.agent.as_deref().unwrap_or_default();
    name.split_once('/').map_or(name, |(_, id)| id)
}
