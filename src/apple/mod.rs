//! What several readers share: Apple's property lists in every form, the numbers in them, URLs and result codes.

pub mod codes;
pub mod openstep;
pub mod plist;
pub mod property_list;
pub mod url;
pub mod value;
