//! The report in the two forms for programs.
//!
//! JSON: `{"version":1,"kernels":[{"name", "sites":[…], "findings":[{"code", "name", "severity", "file", "line", "column",
//! "message", "cause", "cure", "witness"?, "confirmed", "related":[…]}]}]}`. Severities are `error` for correctness, `warning`
//! for performance, `note` for what is taken for granted. `sites` is what `gicc explain` shows.
//!
//! SARIF 2.1.0: one run, a rule for each code, a result for each finding.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::code::{self, Code, Level};
use super::report::{Finding, Report};
use crate::analysis::communication::json::{KernelJson, SiteJson};
use crate::diagnostic::Span;

/// Version of the JSON form.
pub const VERSION: u32 = 1;

/// Where the codes are described.
const PAGES: &str = "docs/codes";

/// The word for a level, the same in JSON and SARIF.
pub const fn severity(level: Level) -> &'static str {
    match level {
        Level::Correctness => "error",
        Level::Performance => "warning",
        Level::Note => "note",
    }
}

/// The report as one JSON object. What it has of sites is written as it stands: there may be many.
pub fn json(report: &Report) -> impl Serialize {
    let known: HashMap<&str, &KernelJson> = report.sites.iter().map(|sites| (sites.name.as_str(), sites)).collect();
    let kernels = report.kernels.iter().map(|kernel| KernelForm {
        findings: kernel.findings.iter().map(finding_json).collect(),
        name: &kernel.name,
        sites: known.get(kernel.name.as_str()).map_or(&[][..], |sites| &sites.sites),
    });
    ReportForm { kernels: kernels.collect(), version: VERSION }
}

/// The report as [`json`] has it.
#[derive(Serialize)]
struct ReportForm<'r> {
    kernels: Vec<KernelForm<'r>>,
    version: u32,
}

/// One kernel of it.
#[derive(Serialize)]
struct KernelForm<'r> {
    findings: Vec<Value>,
    name: &'r str,
    sites: &'r [SiteJson],
}

fn finding_json(finding: &Finding) -> Value {
    let span = finding.span.as_ref();
    let mut value = json!({
        "code": finding.code.code,
        "name": finding.code.name,
        "severity": severity(finding.code.level),
        "file": span.map(|s| s.file.clone()),
        "line": span.map(|s| s.line),
        "column": span.map(|s| s.column),
        "message": finding.message,
        "cause": finding.cause,
        "cure": finding.cure,
        "confirmed": finding.confirmed,
        "inlined_at": finding.inlined_at,
        "related": finding.labels.iter().map(|label| json!({
            "file": label.span.file, "line": label.span.line, "column": label.span.column, "text": label.text,
        })).collect::<Vec<_>>(),
    });
    if let (Some(witness), Some(object)) = (&finding.witness, value.as_object_mut()) {
        object.insert("witness".to_owned(), json!(witness));
    }
    value
}

/// The report as a SARIF 2.1.0 log.
pub fn sarif(report: &Report, tool_version: &str) -> Value {
    let rules: Vec<Value> = code::ALL.iter().map(|code| rule(code)).collect();
    let results: Vec<Value> = report.findings().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "gicc check", "version": tool_version, "rules": rules } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.code,
        "name": code.name,
        "shortDescription": { "text": code.title },
        "help": { "text": code.page, "markdown": code.page },
        "properties": { "page": format!("{PAGES}/{}.md", code.code) },
        "defaultConfiguration": { "level": severity(code.level) },
    })
}

fn result(finding: &Finding) -> Value {
    let index = code::ALL.iter().position(|code| *code == finding.code);
    let mut text = format!("{}. {}. Cure: {}.", finding.message, finding.cause, finding.cure);
    if let Some(witness) = &finding.witness {
        text += &format!(" Witness: {witness}");
    }
    let mut value = json!({
        "ruleId": finding.code.code,
        "ruleIndex": index,
        "level": severity(finding.code.level),
        "message": { "text": text },
        "properties": { "confirmed": finding.confirmed, "kernel": finding.kernel },
    });
    if let Some(object) = value.as_object_mut() {
        let logical = json!([{ "name": finding.kernel, "kind": "function" }]);
        let location = match &finding.span {
            Some(span) => json!({ "physicalLocation": physical(span), "logicalLocations": logical }),
            None => json!({ "logicalLocations": logical }),
        };
        object.insert("locations".to_owned(), json!([location]));
        let related: Vec<Value> = finding
            .labels
            .iter()
            .enumerate()
            .map(|(id, label)| json!({ "id": id + 1, "physicalLocation": physical(&label.span), "message": { "text": label.text } }))
            .collect();
        if !related.is_empty() {
            object.insert("relatedLocations".to_owned(), json!(related));
        }
    }
    value
}

fn physical(span: &Span) -> Value {
    let mut region = json!({ "startLine": span.line.max(1) });
    if let (true, Some(object)) = (span.column > 0, region.as_object_mut()) {
        object.insert("startColumn".to_owned(), json!(span.column));
    }
    json!({ "artifactLocation": { "uri": uri(&span.file) }, "region": region })
}

/// A file name as a reference of a URI: characters that have a meaning there are escaped.
fn uri(file: &str) -> String {
    let mut out = if file.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => out.push(byte.into()),
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::report::KernelReport;
    use super::*;
    use crate::check::report::{Confirmed, Label};

    fn report() -> Report {
        let span = |line| Span { file: "a b/k.cu".to_owned(), line, column: 3 };
        let finding = Finding {
            code: &code::MISSING_RELEASE,
            kernel: "k".to_owned(),
            span: Some(span(7)),
            message: "m".to_owned(),
            cause: "why".to_owned(),
            cure: "do".to_owned(),
            witness: Some("w".to_owned()),
            confirmed: Confirmed::Confirmed,
            labels: vec![Label { span: span(9), text: "reads here".to_owned() }],
            inlined_at: Vec::new(),
        };
        let nowhere =
            Finding { code: &code::INCOMPLETE, span: None, witness: None, labels: Vec::new(), ..finding.clone() };
        let kernel = KernelReport { name: "k".to_owned(), span: None, findings: vec![finding, nowhere] };
        Report { kernels: vec![kernel], ..Report::default() }
    }

    #[test]
    fn json_has_what_the_contract_names() {
        let value = serde_json::to_value(json(&report())).expect("a report is JSON");
        assert_eq!(value["version"], 1);
        let kernel = &value["kernels"][0];
        assert_eq!((&kernel["name"], &kernel["sites"]), (&json!("k"), &json!([])));
        let finding = &kernel["findings"][0];
        for (key, wanted) in [
            ("code", json!("C0101")),
            ("severity", json!("error")),
            ("file", json!("a b/k.cu")),
            ("line", json!(7)),
            ("column", json!(3)),
            ("message", json!("m")),
            ("cause", json!("why")),
            ("cure", json!("do")),
            ("witness", json!("w")),
            ("confirmed", json!("confirmed")),
        ] {
            assert_eq!(finding[key], wanted, "{key}");
        }
        assert!(kernel["findings"][1].get("witness").is_none());
        assert_eq!(kernel["findings"][1]["line"], Value::Null);
    }

    /// What the schema of SARIF 2.1.0 requires of the parts that are written here.
    #[test]
    fn sarif_has_the_required_structure() {
        let log = sarif(&report(), "1.2.3");
        assert_eq!(log["version"], "2.1.0");
        assert!(log["$schema"].as_str().is_some_and(|s| s.contains("2.1.0")));
        let runs = log["runs"].as_array().expect("runs is an array");
        assert_eq!(runs.len(), 1);
        let driver = &runs[0]["tool"]["driver"];
        assert!(driver["name"].is_string());
        let rules = driver["rules"].as_array().expect("rules is an array");
        let levels = ["none", "note", "warning", "error"];
        let mut ids = std::collections::BTreeSet::new();
        for rule in rules {
            assert!(ids.insert(rule["id"].as_str().expect("a rule has an id")), "ids are unique");
            assert!(rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string());
            assert!(levels.contains(&rule["defaultConfiguration"]["level"].as_str().expect("a level")));
        }
        let results = runs[0]["results"].as_array().expect("results is an array");
        assert_eq!(results.len(), 2);
        for result in results {
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
            assert!(levels.contains(&result["level"].as_str().expect("a level")));
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            for location in result["locations"].as_array().expect("locations is an array") {
                if let Some(physical) = location.get("physicalLocation") {
                    assert_eq!(physical["artifactLocation"]["uri"], "a%20b/k.cu");
                    assert!(physical["region"]["startLine"].as_u64().is_some_and(|line| line >= 1));
                }
                assert!(location["logicalLocations"][0]["name"].is_string());
            }
        }
        assert_eq!(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 9);
        assert!(results[1]["locations"][0].get("physicalLocation").is_none());
    }
}
