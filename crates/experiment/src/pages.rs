//! The pages of one column, decompressed one by one.
//!
//! The Parquet library also reads pages. But a page can declare two gigabytes, and the library would allocate them. This
//! reader checks the declared size first, and accepts exactly this size from the decompressor. It accepts only the
//! encodings that whittle writes, because others produce much more than a page (`DELTA_BYTE_ARRAY` copies the beginning
//! of the text before).

use crate::budget::{Budget, OverBudget};
use crate::thrift::{Kind, Thrift, damaged};
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result;

/// Codecs, as numbers of the format.
const UNCOMPRESSED: i64 = 0;
const ZSTD: i64 = 6;

/// Types of pages, as numbers of the format.
const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;

/// The smallest value of a dictionary in bytes: the length of an empty text, or a 32-bit number.
const MIN_VALUE_BYTES: usize = 4;

/// Reads the pages of a column.
pub(crate) struct ColumnPages {
    rest: Bytes,
    is_packed: bool,
    has_dictionary: bool,
    max_page_bytes: u64,
    over_budget: OverBudget,
}

/// The header of a page. Missing numbers are negative.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PageHeader {
    kind: i64,
    full_size: i64,
    size: i64,
    /// The numbers of the data page or the dictionary page.
    values: Values,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Values {
    count: i64,
    encoding: i64,
    definition_level_encoding: i64,
    repetition_level_encoding: i64,
}

impl Values {
    const NONE: Self = Self { count: -1, encoding: -1, definition_level_encoding: -1, repetition_level_encoding: -1 };

    fn read(input: &mut Thrift<'_>) -> Result<Self> {
        let mut values = Self::NONE;
        input.read_struct(|input, field, kind| {
            match (field, kind) {
                (1, _) => values.count = input.number(kind)?,
                (2, _) => values.encoding = input.number(kind)?,
                (3, Kind::Number) => values.definition_level_encoding = input.number(kind)?,
                (4, Kind::Number) => values.repetition_level_encoding = input.number(kind)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(values)
    }
}

impl ColumnPages {
    /// The pages in `bytes`. `codec` is a number of the format.
    pub(crate) fn new(bytes: Bytes, codec: i64, budget: &Budget) -> Result<Self> {
        let is_packed = match codec {
            UNCOMPRESSED => false,
            ZSTD => true,
            other => return Err(damaged(&format!("compression {other} is not supported"))),
        };
        let (max_page_bytes, over_budget) = (budget.page_bytes(), budget.exceeded());
        Ok(Self { rest: bytes, is_packed, has_dictionary: false, max_page_bytes, over_budget })
    }

    /// The next page's header and its length in bytes.
    fn header(&self) -> Result<(PageHeader, usize)> {
        let mut header = PageHeader { kind: -1, full_size: -1, size: -1, values: Values::NONE };
        let mut input = Thrift::new(&self.rest);
        input.read_struct(|input, field, kind| {
            match (field, kind) {
                (1, _) => header.kind = input.number(kind)?,
                (2, _) => header.full_size = input.number(kind)?,
                (3, _) => header.size = input.number(kind)?,
                (5 | 7, Kind::Struct) => header.values = Values::read(input)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok((header, self.rest.len() - input.remaining()))
    }

    /// Takes the next page's header, and its bytes as they are in the file.
    fn take(&mut self) -> Result<Option<(PageHeader, Bytes)>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (header, header_bytes) = self.header()?;
        let size = usize::try_from(header.size).ok().and_then(|size| header_bytes.checked_add(size));
        let end = size.filter(|end| *end <= self.rest.len()).ok_or_else(|| damaged("a page is truncated"))?;
        let page = self.rest.split_to(end).slice(header_bytes..);
        Ok(Some((header, page)))
    }

    /// The content of a page. Its size must be the declared size, and within the limit.
    fn unpacked(&self, header: &PageHeader, bytes: Bytes) -> Result<Bytes> {
        let full_size = u64::try_from(header.full_size).map_err(|_| damaged("a page has no size"))?;
        if full_size > self.max_page_bytes {
            return Err(self.over_budget.into());
        }
        let content = match (self.is_packed, full_size) {
            (false, _) => bytes,
            // The content of an empty page does not matter: the dictionary of a column without values.
            (true, 0) => Bytes::new(),
            (true, _) => unpack(&bytes, full_size as usize)?,
        };
        if content.len() as u64 == full_size { Ok(content) } else { Err(damaged("a page has another size")) }
    }

    fn page(header: &PageHeader, buf: Bytes) -> Result<Page> {
        let values = &header.values;
        let num_values = u32::try_from(values.count).map_err(|_| damaged("a page has no number of values"))?;
        let encoding = encoding_of(values.encoding)?;
        match header.kind {
            DATA_PAGE => Ok(Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding: encoding_of(values.definition_level_encoding)?,
                rep_level_encoding: encoding_of(values.repetition_level_encoding)?,
                statistics: None,
            }),
            // The library allocates all values of a dictionary at once.
            DICTIONARY_PAGE if num_values as usize > buf.len() / MIN_VALUE_BYTES => {
                Err(damaged("a dictionary has more values than bytes"))
            }
            DICTIONARY_PAGE => Ok(Page::DictionaryPage { buf, num_values, encoding, is_sorted: false }),
            other => Err(damaged(&format!("pages of type {other} are not supported"))),
        }
    }
}

impl PageReader for ColumnPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some((header, bytes)) = self.take()? else { return Ok(None) };
        let page = Self::page(&header, self.unpacked(&header, bytes)?)?;
        self.has_dictionary |= page.is_dictionary_page();
        // Without this check, the library would panic.
        if page.encoding() == Encoding::RLE_DICTIONARY && !self.has_dictionary {
            return Err(damaged("a dictionary is missing"));
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (header, _) = self.header()?;
        let num_levels = usize::try_from(header.values.count).ok();
        Ok(Some(PageMetadata { num_rows: None, num_levels, is_dict: header.kind == DICTIONARY_PAGE }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.take().map(drop)
    }
}

impl Iterator for ColumnPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Unpacks at most `full_size` bytes, also if the content is longer.
fn unpack(bytes: &[u8], full_size: usize) -> Result<Bytes> {
    let content = zstd::bulk::decompress(bytes, full_size);
    content
        .map(Bytes::from)
        .map_err(|error| damaged(&format!("a page of {full_size} bytes cannot be unpacked: {error}")))
}

/// The encodings that whittle writes.
fn encoding_of(number: i64) -> Result<Encoding> {
    match number {
        0 => Ok(Encoding::PLAIN),
        // Old name of the next encoding.
        2 | 8 => Ok(Encoding::RLE_DICTIONARY),
        3 => Ok(Encoding::RLE),
        other => Err(damaged(&format!("encoding {other} is not supported"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::MAX_SEGMENT_BYTES;

    /// A data page with numbers of type INT64. The header declares `full_size`.
    fn page(full_size: u64, packed: &[u8]) -> Bytes {
        let mut bytes = Vec::new();
        for (head, number) in [(0x15, 0), (0x15, full_size), (0x15, packed.len() as u64)] {
            bytes.push(head);
            put_number(&mut bytes, number);
        }
        // Field 5: the number of values, and the encodings PLAIN, RLE, RLE.
        bytes.extend([0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0]);
        bytes.extend(packed);
        Bytes::from(bytes)
    }

    fn put_number(bytes: &mut Vec<u8>, number: u64) {
        let mut rest = number << 1;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }

    fn first_page(bytes: Bytes) -> Result<Option<Page>> {
        ColumnPages::new(bytes, ZSTD, &Budget::new(MAX_SEGMENT_BYTES)).unwrap().get_next_page()
    }

    #[test]
    fn a_page_produces_no_more_than_it_declares() {
        let packed = zstd::bulk::compress(&[0; 80_000], 3).unwrap();
        assert!(matches!(first_page(page(80_000, &packed)), Ok(Some(Page::DataPage { num_values: 1, .. }))));
        for declared in [8, 79_999, 80_001] {
            assert!(first_page(page(declared, &packed)).is_err(), "{declared}");
        }
        let error = first_page(page(1 << 30, &packed)).unwrap_err();
        assert!(OverBudget::of(&error).is_some(), "{error}");
        assert!(first_page(page(80_000, &packed).slice(..40)).is_err());
    }
}
